#include "actors/karpenter/cloud/cloud_client.h"

namespace troupe::karpenter {
namespace {

constexpr std::string_view kCloud = "cloud/0";

std::uint64_t reply_id(const Payload& payload) {
  if (const auto* launched = payload.as<cloud::LaunchInstanceReply>()) {
    return launched->request_id();
  }
  if (const auto* ended = payload.as<cloud::TerminateInstanceReply>()) return ended->request_id();
  if (const auto* found = payload.as<cloud::DescribeInstancesReply>()) return found->request_id();
  return 0;
}

}  // namespace

void CloudClient::terminate(Context& context, const std::string& provider_id,
                            CloudCallback<cloud::TerminateInstanceReply> done) {
  cloud::TerminateInstance call;
  call.set_id(provider_id);
  send(context, std::move(call), std::move(done));
}

void CloudClient::describe(Context& context, const std::vector<std::string>& provider_ids,
                           CloudCallback<cloud::DescribeInstancesReply> done) {
  cloud::DescribeInstances call;
  for (const std::string& id : provider_ids) call.add_ids(id);
  send(context, std::move(call), std::move(done));
}

void CloudClient::subscribe_interruptions(Context& context) {
  context.send(address_of(kCloud), Payload::of(cloud::SubscribeInterruptions{}),
               {.link = Link::Cloud});
}

std::uint64_t CloudClient::expect(Context& context,
                                  std::function<void(Context&, const Payload&)> done) {
  const std::uint64_t id = ++last_id_;
  const TimerId deadline = timers_.after(context, kTimeout, "cloud call",
                                         [this, id](Context& later) { finish(later, id, {}); });
  pending_[id] = {std::move(done), deadline};
  return id;
}

void CloudClient::post(Context& context, Payload call, std::uint64_t id) {
  context.send(address_of(kCloud), std::move(call), {.link = Link::Cloud, .version = id});
}

void CloudClient::finish(Context& context, std::uint64_t id, const Payload& reply) {
  auto pending = pending_.extract(id);
  if (pending.empty()) return;  // after its deadline
  timers_.cancel(context, pending.mapped().deadline);
  pending.mapped().done(context, reply);
}

bool CloudClient::receive(Context& context, const Delivery& delivery) {
  if (timers_.receive(context, delivery)) return true;
  const std::uint64_t id = reply_id(delivery.payload);
  if (id == 0) return false;
  finish(context, id, delivery.payload);
  return true;
}

}  // namespace troupe::karpenter
