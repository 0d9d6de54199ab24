// Who owns whom: every object of the kinds that are watched, and the owners that they name.
//
// An owner that is named and has not been seen is a node all the same ("virtual" in the original):
// it may come yet, it may be of a kind that nobody watches, or it may not exist, which somebody has
// to find out. kubernetes/kubernetes, pkg/controller/garbagecollector/graph_builder.go:
// processGraphChanges. An object and its owner are in one namespace, or the owner in none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "messages/api.pb.h"
#include "messages/k8s/meta.pb.h"

namespace troupe::workloads {

/// metav1.FinalizerDeleteDependents and FinalizerOrphanDependents.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
inline constexpr std::string_view kOrphanFinalizer = "orphan";

struct GraphNode {
  api::ObjectKey key;
  std::string api_version;  ///< as an owner reference names it; empty for an object that was seen
  std::vector<k8s::OwnerReference> owners;
  std::set<std::string> dependents;  ///< uids
  bool seen = false;
  bool leaving = false;        ///< marked for deletion
  bool deletes_first = false;  ///< foreground: it goes when its dependents are gone
  bool orphans = false;        ///< it goes when its dependents no longer name it
};

/// What a change calls for, as uids.
struct GraphWork {
  std::vector<std::string> look_at;  ///< perhaps to be deleted
  std::vector<std::string> orphan;   ///< whose dependents are to be set free
};

class OwnerGraph {
 public:
  /// An object as a watch shows it.
  [[nodiscard]] GraphWork observe(const api::ObjectKey& key, const k8s::ObjectMeta& meta);
  /// An object that is gone, by a watch or because a read found nothing.
  [[nodiscard]] GraphWork erase(const std::string& uid);

  /// Null if it is not known.
  [[nodiscard]] const GraphNode* find(const std::string& uid) const;
  /// The dependents for whose end its foreground deletion waits.
  [[nodiscard]] std::vector<std::string> blockers_of(const std::string& uid) const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  void link(const std::string& uid, const k8s::OwnerReference& owner, GraphWork& work);
  void unlink(const std::string& uid, const k8s::OwnerReference& owner);
  void change_owners(const std::string& uid, GraphNode& node, const k8s::ObjectMeta& meta,
                     GraphWork& work);

  std::map<std::string, GraphNode> nodes_;  ///< by uid
};

}  // namespace troupe::workloads
