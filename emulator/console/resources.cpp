#include "emulator/console/resources.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace troupe::console {
namespace {

constexpr std::array kWithoutObject = {"gpus", "requests", "processes", "links", "faults", "hosts"};

constexpr std::array<std::pair<const char*, const char*>, 22> kShort = {{
    {"po", "Pod"},
    {"no", "Node"},
    {"deploy", "Deployment"},
    {"rs", "ReplicaSet"},
    {"sts", "StatefulSet"},
    {"ds", "DaemonSet"},
    {"cj", "CronJob"},
    {"svc", "Service"},
    {"ep", "EndpointSlice"},
    {"hpa", "HorizontalPodAutoscaler"},
    {"pdb", "PodDisruptionBudget"},
    {"pc", "PriorityClass"},
    {"ns", "Namespace"},
    {"cm", "ConfigMap"},
    {"sa", "ServiceAccount"},
    {"pv", "PersistentVolume"},
    {"pvc", "PersistentVolumeClaim"},
    {"sc", "StorageClass"},
    {"ev", "Event"},
    {"pg", "PodGroup"},
    {"lws", "LeaderWorkerSet"},
    {"ec2nc", "EC2NodeClass"},
}};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace

std::optional<Resource> find_resource(const std::string& word) {
  const std::string wanted = lower(word.substr(0, word.find('.')));
  for (const char* name : kWithoutObject) {
    const std::string plural = name;
    const std::string singular =
        plural == "processes" ? "process" : plural.substr(0, plural.size() - 1);
    if (wanted == plural || wanted == singular) return Resource{nullptr, plural};
  }
  for (const auto& [name, kind] : kShort) {
    if (wanted == name) return Resource{find_kind(kind), std::string(find_kind(kind)->plural)};
  }
  for (const Kind& kind : all_kinds()) {
    if (wanted == lower(kind.name) || wanted == kind.plural) {
      return Resource{&kind, std::string(kind.plural)};
    }
  }
  return std::nullopt;
}

std::vector<std::string> resource_names() {
  std::vector<std::string> names(kWithoutObject.begin(), kWithoutObject.end());
  for (const Kind& kind : all_kinds()) {
    if (kind.name != "Scale") names.emplace_back(kind.plural);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string kubectl_name(const Kind& kind, const std::string& name) {
  const std::string version(kind.versions.front());
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : "." + version.substr(0, slash);
  return lower(kind.name) + group + "/" + name;
}

}  // namespace troupe::console
