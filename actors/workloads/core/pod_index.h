// The pods of the cluster by their owner, with the counts that controllers ask for again and again.
//
// A ReplicaSet of ten thousand pods is synced after each change of each of its pods; counting them
// every time would be quadratic. So the counts follow the watch events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "messages/k8s/pod.pb.h"

namespace troupe::workloads {

using PodPtr = std::shared_ptr<const k8s::Pod>;

/// The pods that one object owns.
class OwnedPods {
 public:
  struct Counts {
    std::int32_t active = 0;       ///< neither finished nor being deleted
    std::int32_t ready = 0;        ///< of the active ones
    std::int32_t terminating = 0;  ///< being deleted, not finished
    std::int32_t succeeded = 0;
    std::int32_t failed = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  void set(const std::string& path, const PodPtr& pod);
  void erase(const std::string& path);
  /// In order of "namespace/name".
  [[nodiscard]] const std::map<std::string, PodPtr>& all() const { return pods_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] bool is_empty() const { return pods_.empty(); }

 private:
  void count(const k8s::Pod& pod, std::int32_t sign);

  std::map<std::string, PodPtr> pods_;
  Counts counts_;
};

class PodIndex {
 public:
  void set(const PodPtr& pod);
  void erase(const k8s::Pod& pod);
  [[nodiscard]] const OwnedPods& owned_by(std::string_view owner_uid) const;
  /// Pods of a namespace that no controller manages.
  [[nodiscard]] const OwnedPods& orphans_of(std::string_view name_space) const;

 private:
  [[nodiscard]] static std::string bucket_of(const k8s::Pod& pod);
  [[nodiscard]] const OwnedPods& bucket(const std::string& key) const;

  std::map<std::string, OwnedPods> buckets_;          ///< by owner uid, or "orphans/namespace"
  std::map<std::string, std::string> bucket_of_pod_;  ///< pod path -> its bucket
};

}  // namespace troupe::workloads
