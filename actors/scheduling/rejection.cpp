#include "actors/scheduling/rejection.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

std::vector<std::string> shortages(const Rejection& rejection, const PodInfo& pod) {
  std::vector<std::string> reasons;
  const auto add = [&](std::uint32_t resource, std::string text) {
    if ((rejection.detail & resource) != 0) reasons.push_back(std::move(text));
  };
  add(Rejection::kPods, "Too many pods");
  add(Rejection::kCpu, "Insufficient cpu");
  add(Rejection::kMemory, "Insufficient memory");
  add(Rejection::kEphemeral, "Insufficient ephemeral-storage");
  add(Rejection::kGpu, "Insufficient " + std::string(kGpuResource));
  std::uint32_t resource = Rejection::kFirstOther;
  for (const auto& [name, amount] : pod.requests.others) {
    add(resource, "Insufficient " + name);
    resource <<= 1;
  }
  return reasons;
}

std::string spread_text(const Rejection& rejection) {
  std::string text = "node(s) didn't match pod topology spread constraints";
  if (rejection.detail == Rejection::kMissingLabel) text += " (missing required label)";
  return text;
}

std::string affinity_text(const Rejection& rejection) {
  switch (rejection.detail) {
    case Rejection::kAffinity:
      return "node(s) didn't match pod affinity rules";
    case Rejection::kAntiAffinity:
      return "node(s) didn't match pod anti-affinity rules";
    default:
      return "node(s) didn't satisfy existing pods anti-affinity rules";
  }
}

std::string taint_text(const k8s::Taint& taint) {
  return "node(s) had untolerated taint {" + taint.key() + ": " + taint.value() + "}";
}

}  // namespace

std::vector<std::string> reasons_of(const Rejection& rejection, const PodInfo& pod) {
  switch (rejection.plugin) {
    case Plugin::NodeUnschedulable:
      return {"node(s) were unschedulable"};
    case Plugin::NodeName:
      return {"node(s) didn't match the requested node name"};
    case Plugin::TaintToleration:
      return {taint_text(*rejection.taint)};
    case Plugin::NodeAffinity:
      return {"node(s) didn't match Pod's node affinity/selector"};
    case Plugin::NodePorts:
      return {"node(s) didn't have free ports for the requested pod ports"};
    case Plugin::NodeResourcesFit:
      return shortages(rejection, pod);
    case Plugin::PodTopologySpread:
      return {spread_text(rejection)};
    case Plugin::InterPodAffinity:
      return {affinity_text(rejection)};
    case Plugin::SchedulingGates:
    case Plugin::None:
      break;
  }
  return {};
}

void count_reasons(std::span<const Rejection> rejections, const PodInfo& pod,
                   std::map<std::string, std::size_t>& counts) {
  // A thousand nodes that are full for the same reason become one text, not a thousand.
  std::vector<Rejection> sorted(rejections.begin(), rejections.end());
  for (Rejection& one : sorted) one.resolvable = false;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Rejection& a, const Rejection& b) {
    if (a.plugin != b.plugin) return a.plugin < b.plugin;
    return a.detail < b.detail;
  });
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    for (const std::string& reason : reasons_of(sorted[begin], pod)) counts[reason] += end - begin;
    begin = end;
  }
}

std::string histogram_text(const std::map<std::string, std::size_t>& counts) {
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [reason, count] : counts) parts.push_back(std::to_string(count) + " " + reason);
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace troupe::scheduling
