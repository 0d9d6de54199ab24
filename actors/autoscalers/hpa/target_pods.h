// Which pods an HPA's target selects, as the controller's cache shows them, and which other HPAs
// select them too.
//
// Two HPAs on one pod would fight; Kubernetes stops both. It knows each HPA's selector only from
// that HPA's last sync, so the first of two notices a sync late.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/api_client/informer.h"
#include "actors/autoscalers/hpa/pod_state.h"
#include "actors/autoscalers/hpa/spec_reader.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::hpa {

class TargetPods {
 public:
  struct Selection {
    LabelRequirements selector;       ///< as the metrics APIs take it
    std::vector<PodState> pods;       ///< in order of names
    std::vector<std::string> rivals;  ///< every HPA that selects one of them, in order
  };

  /// `pods` outlives this.
  explicit TargetPods(const Informer<k8s::Pod>& pods) : pods_(pods) {}

  /// The pods of `hpa` ("namespace/name") under its target's selector; none if the text is empty or
  /// no selector.
  [[nodiscard]] std::optional<Selection> select(const std::string& hpa,
                                                const std::string& selector);
  void forget(const std::string& hpa) { selectors_.erase(hpa); }

 private:
  using Objects = std::vector<std::shared_ptr<const k8s::Pod>>;

  [[nodiscard]] Objects selected(const std::string& prefix,
                                 const k8s::LabelSelector& selector) const;
  [[nodiscard]] std::vector<std::string> rivals(const std::string& prefix,
                                                const Objects& pods) const;

  const Informer<k8s::Pod>& pods_;
  std::map<std::string, k8s::LabelSelector> selectors_;  // of each HPA's last sync
};

}  // namespace troupe::hpa
