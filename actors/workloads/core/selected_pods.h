// Which pods the objects that have a selector mean: Services and PodDisruptionBudgets.
//
// Both are synced after each change of each of their pods. Going through all pods of the namespace
// every time would be quadratic, so the sets follow the watch events. They keep no order among the
// kinds: pods may be there before the selectors or after them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "actors/api_client/informer.h"
#include "actors/workloads/core/pod_index.h"
#include "messages/labels.h"

namespace troupe::workloads {

class SelectedPods {
 public:
  using Matcher = std::function<bool(const LabelMap&)>;
  using Keys = std::set<std::string>;

  explicit SelectedPods(const Informer<k8s::Pod>& pods) : pods_(pods) {}

  /// The object at `key` ("namespace/name") means these pods from now on.
  void select(const std::string& key, Matcher matcher);
  /// The object means no pods any more.
  void forget(const std::string& key);

  /// A pod was added or has changed: the objects that mean it now, and those that did before.
  Keys set(const PodPtr& pod);
  /// A pod is gone: the objects that meant it.
  Keys erase(const k8s::Pod& pod);

  /// By "namespace/name".
  [[nodiscard]] const std::map<std::string, PodPtr>& of(const std::string& key) const;

 private:
  struct Selection {
    Matcher matcher;
    std::map<std::string, PodPtr> pods;
  };

  const Informer<k8s::Pod>& pods_;
  std::map<std::string, Selection> selections_;
};

}  // namespace troupe::workloads
