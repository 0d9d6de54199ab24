// The router of a Service: host `router/NAME`.
//
// It learns the Service's ready endpoints from EndpointSlices, as late as a watch is, and sends
// each request to one of them. What is refused before it has given a token goes to another
// endpoint; with none left, and while none is ready at all, it waits here, up to a limit. The
// client's patience is the client's: the router waits for ever. An endpoint that goes away keeps
// its requests, as an open connection does; the router checks that connection, and what is reset
// after its first token fails.
//
// Not modelled: the router's own time and capacity, and routing by prefix or by the engines' load.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "actors/actor.h"
#include "actors/api_client/api_client.h"
#include "actors/api_client/informer.h"
#include "actors/context.h"
#include "actors/serving/endpoint_picker.h"
#include "actors/serving/open_requests.h"
#include "messages/facts.pb.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/discovery.pb.h"
#include "messages/serving.pb.h"

namespace troupe::serving {

class RouterActor final : public Actor {
 public:
  /// Refusals of one request after which the router gives up on it.
  static constexpr std::size_t kAttemptsMax = 16;

  explicit RouterActor(std::shared_ptr<const hosts::RouterConfig> config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void endpoints_changed(Context& context);
  void accept(Context& context, const Delivery& delivery, const InferRequest& request);
  /// Sends the request to an endpoint, or has it wait, or turns it away.
  void place(Context& context, RoutedRequest& request);
  void relay_token(Context& context, const FirstToken& token);
  void done(Context& context, const InferDone& done);
  void hang_up(Context& context, const Address& client, std::uint64_t client_id);
  void refused(Context& context, const Delivery& delivery);
  void connection_lost(Context& context, const Address& endpoint);
  /// The endpoint has not served the request: another may.
  void retry(Context& context, RoutedRequest& request);
  void end(Context& context, RoutedRequest& request, InferDone done);
  void leave(RoutedRequest& request);
  void count_changed(Context& context);
  void report(Context& context);

  std::shared_ptr<const hosts::RouterConfig> config_;
  ApiClient api_;
  Informer<k8s::EndpointSlice> slices_;
  EndpointPicker picker_;
  OpenRequests open_;
  facts::RouterTotals totals_;
  TimerId minute_ = 0;
};

/// The builder of the host kind "router": attachment 0 of HostStart is a RouterConfig.
[[nodiscard]] std::unique_ptr<Actor> make_router(const Payload& host_start);

}  // namespace troupe::serving
