#include "emulator/runtime/latency_model.h"

#include <algorithm>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Distribution lognormal(Duration median, Duration p90, Duration minimum) {
  Distribution d;
  d.set_shape(Distribution::LOGNORMAL);
  d.set_a_ns(median.count());
  d.set_b_ns(p90.count());
  d.set_minimum_ns(minimum.count());
  return d;
}

}  // namespace

LatencyModel::PerLink LatencyModel::defaults() {
  PerLink links;
  auto at = [&links](Link link) -> Distribution& { return links[static_cast<std::size_t>(link)]; };
  // One way. Kubernetes' SLO for a mutating call is 1 s at the 99th percentile; idle clusters
  // answer in a few ms, which two of these and the store's work add up to.
  at(Link::Api) = lognormal(milliseconds(2), milliseconds(6), microseconds(500));
  // From commit to a watcher's cache. The API server's own watch cache adds a few ms to the
  // network.
  at(Link::Watch) = lognormal(milliseconds(4), milliseconds(15), milliseconds(1));
  // A cloud's control plane over the internet; the work of the call itself is the cloud actor's.
  at(Link::Cloud) = lognormal(milliseconds(40), milliseconds(90), milliseconds(10));
  // Within a zone, through a load balancer.
  at(Link::DataPlane) = lognormal(microseconds(600), microseconds(1500), microseconds(200));
  at(Link::Scrape) = lognormal(milliseconds(5), milliseconds(20), milliseconds(1));
  // The boot time itself is the node's; this is only the hand-over.
  at(Link::Lifecycle) = lognormal(milliseconds(10), milliseconds(20), milliseconds(5));
  return links;
}

LatencyModel::LatencyModel(std::uint64_t seed, PerLink per_link)
    : seed_(seed), per_link_(std::move(per_link)), samplers_(per_link_.begin(), per_link_.end()) {
  for (std::size_t i = 0; i < per_link_.size(); ++i) {
    TROUPE_ASSERT(minimum(static_cast<Link>(i)) > Duration::zero(),
                  "the latency of a link between hosts must have a minimum above zero");
  }
}

Duration LatencyModel::draw(Link link, const MessageName& name) const {
  const std::uint64_t bits =
      mix(seed_, name.sender, name.receiver, name.kind, name.object, name.version);
  return samplers_[static_cast<std::size_t>(link)].sample(bits);
}

Duration LatencyModel::minimum(Link link) const {
  return smallest_sample(per_link_[static_cast<std::size_t>(link)]);
}

Duration fact_latency(const LatencyModel& model) {
  return std::max<Duration>(milliseconds(1), model.minimum(Link::Watch));
}

}  // namespace troupe
