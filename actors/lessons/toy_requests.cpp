#include "actors/lessons/toy_requests.h"

#include <algorithm>
#include <utility>

#include "messages/facts.pb.h"

namespace troupe::lessons {

ToyRequests::ToyRequests(const ToyConfig& config, std::uint64_t first_id,
                         std::vector<Payload>& facts)
    : config_(config), first_id_(first_id), facts_(facts) {}

void ToyRequests::advance(Duration now) {
  for (; arrived_ < config_.arrivals_ns_size(); ++arrived_) {
    const Duration arrival{config_.arrivals_ns(arrived_)};
    if (arrival > now) break;
    const std::uint64_t id = first_id_ + static_cast<std::uint64_t>(arrived_);
    queue_.push_back({id, arrival, Duration{0}});
    facts::RequestIssued fact;
    fact.set_request(id);
    fact.set_service(config_.service());
    facts_.push_back(Payload::of(std::move(fact)));
  }
  for (; !first_tokens_.empty() && first_tokens_.front().event <= now; first_tokens_.pop_front()) {
    facts::RequestFirstToken fact;
    fact.set_request(first_tokens_.front().id);
    fact.set_ttft_ns((now - first_tokens_.front().arrived).count());
    facts_.push_back(Payload::of(std::move(fact)));
  }
  for (; !ends_.empty() && ends_.front().event <= now; ends_.pop_front()) {
    report_end(ends_.front(), now, true);
  }
}

std::optional<Duration> ToyRequests::take(Duration now) {
  if (queue_.empty()) return std::nullopt;
  Request request = queue_.front();
  queue_.pop_front();
  ++started_;
  request.event = now + Duration{config_.prefill_ns()};
  first_tokens_.push_back(request);
  request.event += Duration{config_.decode_ns()};
  ends_.push_back(request);
  return request.event;
}

void ToyRequests::drop_after(Duration now, Duration patience) {
  for (; !queue_.empty() && now - queue_.front().arrived >= patience; queue_.pop_front()) {
    ++dropped_;
    report_end(queue_.front(), now, false);
  }
}

void ToyRequests::report_end(const Request& request, Duration now, bool completed) {
  facts::RequestEnded fact;
  fact.set_request(request.id);
  fact.set_service(config_.service());
  fact.set_e2e_ns((now - request.arrived).count());
  if (completed) {
    fact.set_outcome(facts::RequestEnded::COMPLETED);
    fact.set_ttft_ns(fact.e2e_ns() - config_.decode_ns());
  } else {
    fact.set_outcome(facts::RequestEnded::TIMED_OUT);
    fact.set_reason("dropped from the queue");
  }
  facts_.push_back(Payload::of(std::move(fact)));
}

std::optional<Duration> ToyRequests::next_change() const {
  std::optional<Duration> next;
  const auto consider = [&next](Duration at) { next = std::min(next.value_or(at), at); };
  if (arrived_ < config_.arrivals_ns_size()) consider(Duration{config_.arrivals_ns(arrived_)});
  if (!first_tokens_.empty()) consider(first_tokens_.front().event);
  if (!ends_.empty()) consider(ends_.front().event);
  return next;
}

std::optional<Duration> ToyRequests::next_drop(Duration patience) const {
  if (queue_.empty()) return std::nullopt;
  return queue_.front().arrived + patience;
}

}  // namespace troupe::lessons
