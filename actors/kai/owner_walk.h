// The chain of owners of a pod, from caches of the kinds that own pods here.
//
// KAI's pod-grouper reads each owner from the API server; a cache of them costs less and is as
// stale as a watch. Kinds that not every cluster has are watched from the first pod on that has
// such an owner, as a controller-runtime client does. A kind that the emulation does not model ends
// the chain with what the reference says of it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/api_client/informer.h"
#include "actors/kai/pod_grouping.h"

namespace troupe::kai {

class OwnerCaches {
 public:
  /// `pods`, the grouper's own cache, must outlive this: a pod may own pods, as the leader of a
  /// LeaderWorkerSet's group does.
  OwnerCaches(ApiClient& api, const Informer<k8s::Pod>& pods);

  void start(Context& context);
  /// Every watch that was started has brought its first list.
  [[nodiscard]] bool synced() const;
  /// From the pod's own owner up to the top; an error if a modelled owner is not known, or not any
  /// more. May start watches: the answer is good only if all are synced() afterwards.
  [[nodiscard]] Result<std::vector<OwnerView>> owners_of(Context& context, const k8s::Pod& pod);
  /// The T at "namespace/name", or null.
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> get(const std::string& path) const {
    return caches_.find(kind_of<T>().name)->second.cache->get(path).template share<T>();
  }

 private:
  /// An informer of some kind.
  class Cache {
   public:
    virtual ~Cache() = default;
    virtual void start(Context& context) = 0;
    [[nodiscard]] virtual bool synced() const = 0;
    /// Empty if there is none.
    [[nodiscard]] virtual Payload get(const std::string& path) const = 0;
  };
  template <class T>
  class CacheOf;
  struct Entry {
    std::unique_ptr<Cache> cache;
    bool started = false;
  };

  template <class T>
  void add(ApiClient& api);
  void start(Context& context, std::string_view kind);
  [[nodiscard]] Result<OwnerView> find(Context& context, const k8s::OwnerReference& reference,
                                       const std::string& name_space);
  [[nodiscard]] Payload object_of(Context& context, const std::string& kind,
                                  const std::string& path);

  const Informer<k8s::Pod>& pods_;
  std::map<std::string_view, Entry> caches_;  ///< by kind
};

}  // namespace troupe::kai
