#include "actors/kai/owner_walk.h"

#include <optional>
#include <utility>

namespace troupe::kai {
namespace {

/// Owners above owners: longer chains do not occur, and a cycle must end.
constexpr std::size_t kMaxDepth = 8;

template <class T>
std::optional<OwnerView> view_of(const Informer<T>& cache, const k8s::OwnerReference& reference,
                                 const std::string& name_space) {
  const auto object = cache.get(name_space, reference.name());
  // An owner of the same name that was made anew is another owner.
  if (!object || object->metadata().uid() != reference.uid()) return std::nullopt;
  return OwnerView{reference.api_version(), reference.kind(), object->metadata(), std::nullopt};
}

}  // namespace

OwnerCaches::OwnerCaches(ApiClient& api, const Informer<k8s::Pod>& pods)
    : pods_(pods),
      replica_sets_(api),
      deployments_(api),
      stateful_sets_(api),
      daemon_sets_(api),
      jobs_(api),
      cron_jobs_(api),
      leader_worker_sets_(api) {}

void OwnerCaches::start(Context& context) {
  replica_sets_.start(context);
  deployments_.start(context);
  stateful_sets_.start(context);
  daemon_sets_.start(context);
  jobs_.start(context);
  cron_jobs_.start(context);
  leader_worker_sets_.start(context);
}

bool OwnerCaches::synced() const {
  return replica_sets_.synced() && deployments_.synced() && stateful_sets_.synced() &&
         daemon_sets_.synced() && jobs_.synced() && cron_jobs_.synced() &&
         leader_worker_sets_.synced();
}

Result<OwnerView> OwnerCaches::find(const k8s::OwnerReference& reference,
                                    const std::string& name_space) const {
  std::optional<OwnerView> found;
  const std::string& kind = reference.kind();
  if (kind == "Pod") {
    found = view_of(pods_, reference, name_space);
  } else if (kind == "ReplicaSet") {
    found = view_of(replica_sets_, reference, name_space);
  } else if (kind == "Deployment") {
    found = view_of(deployments_, reference, name_space);
  } else if (kind == "StatefulSet") {
    found = view_of(stateful_sets_, reference, name_space);
  } else if (kind == "DaemonSet") {
    found = view_of(daemon_sets_, reference, name_space);
  } else if (kind == "Job") {
    found = view_of(jobs_, reference, name_space);
  } else if (kind == "CronJob") {
    found = view_of(cron_jobs_, reference, name_space);
  } else if (kind == "LeaderWorkerSet") {
    found = view_of(leader_worker_sets_, reference, name_space);
    if (found) {
      found->leader_worker_set = leader_worker_sets_.get(name_space, reference.name())->spec();
    }
  } else {
    OwnerView unknown{reference.api_version(), kind, {}, std::nullopt};
    unknown.metadata.set_name(reference.name());
    unknown.metadata.set_namespace_(name_space);
    unknown.metadata.set_uid(reference.uid());
    return unknown;
  }
  if (!found) {
    return fail("failed to find " + kind + ": <" + name_space + "/" + reference.name() +
                ">, uid: <" + reference.uid() + ">");
  }
  return *std::move(found);
}

Result<std::vector<OwnerView>> OwnerCaches::owners_of(const k8s::Pod& pod) const {
  std::vector<OwnerView> owners;
  const auto* references = &pod.metadata().owner_references();
  while (!references->empty() && owners.size() < kMaxDepth) {
    if (!owners.empty() && references->size() > 1) {
      return fail("found " + owners.back().kind + " <" + owners.back().metadata.name() +
                  "> with multiple owners");
    }
    Result<OwnerView> owner = find(references->at(0), pod.metadata().namespace_());
    if (!owner) return tl::unexpected(owner.error());
    owners.push_back(*std::move(owner));
    references = &owners.back().metadata.owner_references();
  }
  return owners;
}

}  // namespace troupe::kai
