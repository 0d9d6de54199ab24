// The clients of a service: host `load/NAME`.
//
// They issue the requests of a trace or a generator to a router, open loop (whatever becomes of the
// earlier ones) or closed loop (each user waits for the answer), measure time to first token and
// end to end, ask again as the retry policy says, and hang up when their patience ends. Each
// request is reported to observers exactly once as issued and at most once as ended, whatever the
// network did; one that is open when the run ends is "unfinished".
//
// Memory is the open requests and the next one: the sequence is made one request at a time.
//
// Not modelled: the reset that a client sees when its router crashes; it learns of that when its
// patience ends.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>

#include "actors/actor.h"
#include "actors/context.h"
#include "actors/load/open_request.h"
#include "actors/load/request_source.h"
#include "messages/load.pb.h"
#include "messages/serving.pb.h"

namespace troupe::load {

class LoadGenerator final : public Actor {
 public:
  explicit LoadGenerator(std::shared_ptr<const LoadConfig> config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  static constexpr std::uint32_t kUsual = 1000;

  void plan_next(Context& context);
  void issue_due(Context& context);
  void plan_copies(Context& context, const RequestShape& shape);
  void start_users(Context& context);
  void user_ready(Context& context, std::uint32_t user);
  [[nodiscard]] std::uint64_t issue(Context& context, RequestShape shape);
  void send_attempt(Context& context, std::uint64_t n);
  void first_token(Context& context, const serving::FirstToken& token);
  void token_came(Context& context, std::uint64_t n, OpenRequest& request);
  void done(Context& context, const serving::InferDone& reply);
  void refused(Context& context, const Delivery& delivery);
  void patience_ended(Context& context, std::uint64_t n);
  void retry_due(Context& context, std::uint64_t n);
  [[nodiscard]] bool try_again(Context& context, std::uint64_t n, std::uint32_t http_code);
  void end(Context& context, std::uint64_t n, const Ending& ending);
  /// The request that an attempt's id means, or null if it is over or a later attempt is on its
  /// way.
  [[nodiscard]] OpenRequest* find_attempt(std::uint64_t attempt_id);

  std::shared_ptr<const LoadConfig> config_;
  std::unique_ptr<RequestSource> source_;     ///< of an open loop
  std::optional<RequestShapes> user_shapes_;  ///< of a closed loop
  std::optional<PlannedRequest> next_;
  std::map<std::uint64_t, OpenRequest> open_;  ///< by the request's number
  std::uint64_t issued_ = 0;
  std::uint32_t factor_permille_ = kUsual;  ///< how often each planned request is asked
  std::uint32_t owed_permille_ = 0;         ///< of copies, below one
  std::deque<RequestShape> copies_;         ///< that are due, in order
};

/// The builder of the host kind "load": attachment 0 of HostStart is a LoadConfig.
[[nodiscard]] std::unique_ptr<Actor> make_load_generator(const Payload& host_start);

}  // namespace troupe::load
