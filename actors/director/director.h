// Applies a scenario's manifests and later changes through the API server: host
// `controller/director/0`. What a person does with a console is work for `controller/director/1`.
//
// Objects of one moment are sent in the order of the files, without waiting for one another, as
// `kubectl apply` with several workers would. What the server refuses is reported as a fact and not
// tried again. Faults that depend on what happens are its work as well (fault_orders.h).
#pragma once

#include <memory>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/context.h"
#include "actors/director/fault_orders.h"
#include "messages/director.pb.h"

namespace troupe::director {

class Director final : public Actor {
 public:
  /// `objects` are the attachments that the plan's steps count.
  Director(Plan plan, std::vector<Payload> objects);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void arm(Context& context);
  void take_orders(Context& context, const Plan& work);
  void run(Context& context, const Step& step, const std::vector<Payload>& objects);

  Plan plan_;
  std::vector<Payload> objects_;
  int next_ = 0;
  ApiClient api_{{.qps = 0}};
  FaultOrders faults_;
  Plan ordered_;  ///< faults that came while the run went on
};

/// The builder of the host kind "director": attachment 0 of HostStart is a Plan, the rest are its
/// objects.
[[nodiscard]] std::unique_ptr<Actor> make_director(const Payload& host_start);

}  // namespace troupe::director
