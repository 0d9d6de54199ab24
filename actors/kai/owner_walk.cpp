#include "actors/kai/owner_walk.h"

#include <utility>

#include "messages/jobset.pb.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/kinds.h"
#include "messages/kubeflow.pb.h"
#include "messages/lws.pb.h"

namespace troupe::kai {
namespace {

/// Owners above owners: longer chains do not occur, and a cycle must end.
constexpr std::size_t kMaxDepth = 8;

/// The kinds of every cluster, and that of every cluster that serves with KAI here.
constexpr std::string_view kWatchedFromTheStart[] = {
    "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "LeaderWorkerSet"};

/// Grove's own kinds are not modelled, but the gangs that it asks for are.
constexpr std::string_view kGroveGroup = "grove.io/";

}  // namespace

template <class T>
class OwnerCaches::CacheOf final : public Cache {
 public:
  explicit CacheOf(ApiClient& api) : informer_(api) {}
  void start(Context& context) override { informer_.start(context); }
  [[nodiscard]] bool synced() const override { return informer_.synced(); }
  [[nodiscard]] Payload get(const std::string& path) const override {
    const auto object = informer_.get(path);
    return object == nullptr ? Payload() : Payload::of(*object);
  }

 private:
  Informer<T> informer_;
};

template <class T>
void OwnerCaches::add(ApiClient& api) {
  caches_[kind_of<T>().name].cache = std::make_unique<CacheOf<T>>(api);
}

OwnerCaches::OwnerCaches(ApiClient& api, const Informer<k8s::Pod>& pods) : pods_(pods) {
  add<k8s::ReplicaSet>(api);
  add<k8s::Deployment>(api);
  add<k8s::StatefulSet>(api);
  add<k8s::DaemonSet>(api);
  add<k8s::Job>(api);
  add<k8s::CronJob>(api);
  add<lws::LeaderWorkerSet>(api);
  add<jobset::JobSet>(api);
  add<kubeflow::PyTorchJob>(api);
  add<kubeflow::TFJob>(api);
  add<kubeflow::XGBoostJob>(api);
  add<kubeflow::JAXJob>(api);
  add<kubeflow::MPIJob>(api);
  add<ray::RayCluster>(api);
  add<ray::RayJob>(api);
  add<ray::RayService>(api);
  add<grove::PodGang>(api);
}

void OwnerCaches::start(Context& context) {
  for (const std::string_view kind : kWatchedFromTheStart) start(context, kind);
}

void OwnerCaches::start(Context& context, std::string_view kind) {
  Entry& entry = caches_.find(kind)->second;
  if (!std::exchange(entry.started, true)) entry.cache->start(context);
}

bool OwnerCaches::synced() const {
  for (const auto& [kind, entry] : caches_) {
    if (entry.started && !entry.cache->synced()) return false;
  }
  return true;
}

Payload OwnerCaches::object_of(Context& context, const std::string& kind, const std::string& path) {
  if (kind == "Pod") {
    const auto pod = pods_.get(path);
    return pod == nullptr ? Payload() : Payload::of(*pod);
  }
  start(context, kind);
  return caches_.find(kind)->second.cache->get(path);
}

Result<OwnerView> OwnerCaches::find(Context& context, const k8s::OwnerReference& reference,
                                    const std::string& name_space) {
  const std::string& kind = reference.kind();
  OwnerView owner{reference.api_version(), kind, {}};
  const bool modelled = find_kind(reference.api_version(), kind) != nullptr &&
                        (kind == "Pod" || caches_.contains(kind));
  if (!modelled) {
    if (reference.api_version().starts_with(kGroveGroup)) {
      start(context, kind_of<grove::PodGang>().name);
    }
    owner.metadata.set_name(reference.name());
    owner.metadata.set_namespace_(name_space);
    owner.metadata.set_uid(reference.uid());
    return owner;
  }
  owner.object = object_of(context, kind, name_space + "/" + reference.name());
  // An owner of the same name that was made anew is another owner.
  if (!owner.object || meta_of(owner.object.message()).uid() != reference.uid()) {
    return fail("failed to find " + kind + ": <" + name_space + "/" + reference.name() +
                ">, uid: <" + reference.uid() + ">");
  }
  owner.metadata = meta_of(owner.object.message());
  return owner;
}

Result<std::vector<OwnerView>> OwnerCaches::owners_of(Context& context, const k8s::Pod& pod) {
  std::vector<OwnerView> owners;
  auto references = pod.metadata().owner_references();
  while (!references.empty() && owners.size() < kMaxDepth) {
    if (!owners.empty() && references.size() > 1) {
      return fail("found " + owners.back().kind + " <" + owners.back().metadata.name() +
                  "> with multiple owners");
    }
    Result<OwnerView> owner = find(context, references.at(0), pod.metadata().namespace_());
    if (!owner) return tl::unexpected(owner.error());
    owners.push_back(*std::move(owner));
    references = owners.back().metadata.owner_references();
  }
  return owners;
}

}  // namespace troupe::kai
