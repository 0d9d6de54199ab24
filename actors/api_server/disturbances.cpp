#include "actors/api_server/disturbances.h"

#include <algorithm>

#include "actors/random.h"
#include "messages/glob.h"
#include "messages/hash.h"
#include "messages/units.h"

namespace troupe::apiserver {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

std::string verb_of(api::Verb verb) {
  switch (verb) {
    case api::GET:
      return "get";
    case api::LIST:
      return "list";
    case api::CREATE:
      return "create";
    case api::UPDATE:
      return "update";
    case api::DELETE:
      return "delete";
    case api::BIND:
      return "bind";
    case api::EVICT:
      return "evict";
    default:
      return "patch";  // MERGE_PATCH, STRATEGIC_PATCH, and APPLY, which is one
  }
}

/// Admission is asked of writes alone; by most webhooks' rules, of creations and updates.
bool is_admitted(const std::string& verb) {
  return verb == "create" || verb == "update" || verb == "patch";
}

bool contains(const google::protobuf::RepeatedPtrField<std::string>& list,
              const std::string& text) {
  return list.empty() || std::find(list.begin(), list.end(), text) != list.end();
}

bool concerns(const fault::DisturbRequests& spec, const RequestAttributes& request) {
  if (!contains(spec.kinds(), request.kind)) return false;
  if (!matches_glob(spec.namespace_(), request.name_space)) return false;
  const bool only_writes = spec.effect() == fault::DisturbRequests::REFUSE && spec.verbs().empty();
  return only_writes ? is_admitted(request.verb) : contains(spec.verbs(), request.verb);
}

std::int64_t whole_seconds(std::int64_t ns) {
  return (ns + kNanosecondsPerSecond - 1) / kNanosecondsPerSecond;
}

Status refusal_of(const fault::DisturbRequests& spec) {
  switch (spec.effect()) {
    case fault::DisturbRequests::UNAVAILABLE:
      return {503, "ServiceUnavailable", "the server is currently unable to handle the request"};
    case fault::DisturbRequests::THROTTLE:
      return too_many_requests("too many requests, please try again later",
                               std::max<std::int64_t>(whole_seconds(spec.retry_after_ns()), 1));
    case fault::DisturbRequests::REFUSE:
      return {403, "Forbidden",
              "admission webhook \"fault.troupe\" denied the request: " +
                  (spec.message().empty() ? "refused by a fault" : spec.message())};
    default:
      return internal_error("etcdserver: request timed out");
  }
}

}  // namespace

RequestAttributes attributes_of(const api::ApiRequest& request, const Address& client) {
  const bool lists = request.verb() == api::LIST;
  return {verb_of(request.verb()), request.key().kind(),
          lists ? request.list_namespace() : request.key().namespace_(), request.key().name(),
          mix(client.actor, client.incarnation, request.request_id())};
}

void Disturbances::change(const fault::DisturbRequests& disturb) {
  if (disturb.heal()) {
    active_.erase(disturb.id());
  } else {
    active_[disturb.id()] = {disturb, 0};
  }
}

// All delays add up; the first refusal stands.
Disturbances::Verdict Disturbances::judge(const Context& context,
                                          const RequestAttributes& request) {
  Verdict verdict;
  for (auto& [id, active] : active_) {
    if (!concerns(active.spec, request)) continue;
    if (active.passed < active.spec.after()) {
      ++active.passed;
      continue;
    }
    const std::uint64_t bits = context.random("request fault", mix(id, request.identity));
    if (!bernoulli(bits, active.spec.probability_ppm(), kPerMillion)) continue;
    if (active.spec.effect() == fault::DisturbRequests::DELAY) {
      verdict.delay += Duration(active.spec.delay_ns());
    } else if (!verdict.refusal) {
      verdict.refusal = refusal_of(active.spec);
    }
  }
  return verdict;
}

}  // namespace troupe::apiserver
