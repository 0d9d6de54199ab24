// The kubelet's writes to Pod objects: kubelet's status manager.
//
// One write per pod is under way at a time; what changed meanwhile goes with the next one, so a
// burst of changes is one write. A write that fails is tried again at the status manager's next
// sync. The object of a pod that was asked to go is deleted, with grace 0, once its last status is
// in. Conditions that others own are taken from the newest object that the watch told of, so a
// write may undo one that this kubelet has not seen yet, as a JSON merge patch does in life.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "actors/api_client/api_client.h"
#include "messages/k8s/pod.pb.h"

namespace troupe::kubelet {

class PodObjects {
 public:
  /// kubelet status_manager.go: syncPeriod.
  static constexpr Duration kRetry = std::chrono::seconds(10);

  explicit PodObjects(ApiClient& api) : api_(api) {}
  PodObjects(const PodObjects&) = delete;
  PodObjects& operator=(const PodObjects&) = delete;

  /// Writes the status unless the object is known to have it.
  void set_status(Context& context, const k8s::Pod& pod, k8s::PodStatus status);
  /// Deletes the object once nothing of its status is left to write.
  void remove(Context& context, const k8s::Pod& pod);
  /// True if the watch shows a pod whose phase or readiness somebody else changed after the
  /// kubelet's last write.
  [[nodiscard]] bool contradicts(const k8s::Pod& pod) const;
  /// Writes the status although it was written before.
  void set_again(Context& context, const k8s::Pod& pod, k8s::PodStatus status);
  /// The object is gone.
  void forget(const std::string& uid) { entries_.erase(uid); }

 private:
  struct Entry {
    std::string name_space;
    std::string name;
    k8s::PodStatus status;  ///< what the object should say
    bool dirty = false;     ///< and does not yet
    bool writing = false;
    bool remove = false;
    std::int64_t revision = 0;  ///< of the last write that was acknowledged
  };

  Entry& entry_of(const k8s::Pod& pod);
  void advance(Context& context, const std::string& uid);
  void write(Context& context, const std::string& uid, Entry& entry);
  void erase(Context& context, const std::string& uid, Entry& entry);
  void on_written(Context& context, const std::string& uid, const ApiResult& result);
  void on_removed(Context& context, const std::string& uid, const ApiResult& result);
  void retry(Context& context, const std::string& uid);

  ApiClient& api_;
  std::map<std::string, Entry> entries_;  ///< by uid
};

}  // namespace troupe::kubelet
