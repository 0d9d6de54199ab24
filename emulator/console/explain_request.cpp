// A request of a client, and the service that it is for.
#include <algorithm>

#include "emulator/console/explanation.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/discovery.pb.h"
#include "messages/labels.h"
#include "messages/units.h"

namespace troupe::console {
namespace {

struct Endpoints {
  std::size_t ready = 0;
  std::size_t not_ready = 0;
};

Endpoints endpoints_of(const RunView& run, const std::string& key) {
  Endpoints found;
  for (const auto& [name, object] : run.view.objects("EndpointSlice")) {
    const auto& slice = *object.as<k8s::EndpointSlice>();
    const std::string_view service =
        label_or(slice.metadata().labels(), "kubernetes.io/service-name");
    if (key_of(slice.metadata().namespace_(), std::string(service)) != key) continue;
    for (const k8s::Endpoint& one : slice.endpoints()) {
      ++(one.conditions().ready() ? found.ready : found.not_ready);
    }
  }
  return found;
}

std::string endpoints_text(const Endpoints& endpoints) {
  return std::to_string(endpoints.ready) + " endpoints are ready, " +
         std::to_string(endpoints.not_ready) + " are not";
}

std::string short_seconds(std::int64_t ns) {
  return seconds_text(ns / 1'000'000 * 1'000'000);
}

std::string lengths(const OpenRequest& request) {
  return std::to_string(request.prompt_tokens) + " prompt tokens, " +
         std::to_string(request.output_tokens) + " to be put out";
}

}  // namespace

std::vector<std::string> service_lines(const RunView& run, const std::string& key) {
  std::vector<std::string> lines{endpoints_text(endpoints_of(run, key))};
  const auto found = run.view.services().find(key);
  if (found == run.view.services().end()) return lines;
  const ServiceRequests& requests = found->second;
  lines.push_back(std::to_string(requests.issued) +
                  " requests: " + std::to_string(requests.completed) + " completed, " +
                  std::to_string(requests.open) + " open, " + std::to_string(requests.timed_out) +
                  " timed out, " + std::to_string(requests.rejected) + " rejected, " +
                  std::to_string(requests.failed) + " failed");
  std::size_t waiting = 0;
  SimTime oldest = run.now;
  for (const auto& [id, one] : run.view.open_requests()) {
    if (one.service != key || one.ttft_ns != 0) continue;
    ++waiting;
    oldest = std::min(oldest, one.issued);
  }
  if (waiting != 0) {
    lines.push_back(std::to_string(waiting) + " wait for their first token, the oldest for " +
                    short_seconds((run.now - oldest).count()));
  }
  for (const auto& [reason, count] : requests.reasons) {
    lines.push_back(std::to_string(count) + " ended with: " + reason);
  }
  return lines;
}

std::optional<Explanation> explain_request(const RunView& run, std::uint64_t id) {
  if (const EndedRequest* ended = run.view.ended_request(id)) {
    Explanation result{ended->outcome + " after " + short_seconds(ended->e2e_ns), "nobody", {}};
    result.because.push_back("of service " + ended->service + ", ended at " +
                             short_seconds(to_ns(ended->at)));
    result.because.push_back(ended->ttft_ns == 0
                                 ? "no token ever came: it waited before or in an engine's queue"
                                 : "its first token came after " + short_seconds(ended->ttft_ns) +
                                       ", and " + std::to_string(ended->output_tokens) + " in all");
    if (!ended->reason.empty()) result.because.push_back("its client was told: " + ended->reason);
    return result;
  }
  const auto open = run.view.open_requests();
  const auto found = open.find(id);
  if (found == open.end()) return std::nullopt;
  const OpenRequest& request = found->second;
  const Endpoints endpoints = endpoints_of(run, request.service);
  Explanation result;
  if (request.ttft_ns != 0) {
    result = {
        "decoding", "engine", {"its first token came after " + short_seconds(request.ttft_ns)}};
  } else {
    result = {"waits for its first token", endpoints.ready == 0 ? "router" : "engine", {}};
    result.because.push_back(endpoints.ready == 0
                                 ? "no engine is ready: it waits at the router"
                                 : "it is on its way to an engine, in its queue, or in prefill");
  }
  result.because.push_back("issued " + short_seconds((run.now - request.issued).count()) +
                           " ago to service " + request.service + ": " + lengths(request));
  for (std::string& line : service_lines(run, request.service)) {
    result.because.push_back(std::move(line));
  }
  return result;
}

}  // namespace troupe::console
