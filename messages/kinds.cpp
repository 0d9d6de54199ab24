#include "messages/kinds.h"

#include <algorithm>
#include <array>

#include "messages/assert.h"
#include "messages/grove.pb.h"
#include "messages/jobset.pb.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/coordination.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/discovery.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/k8s/storage.pb.h"
#include "messages/kai.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/kubeflow.pb.h"
#include "messages/lws.pb.h"
#include "messages/ray.pb.h"

namespace troupe {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// The field number of ObjectMeta in every top-level object.
constexpr int kMetadataField = 3;

template <std::size_t N>
using Versions = std::array<std::string_view, N>;

constexpr Versions<1> kCore = {"v1"};
constexpr Versions<1> kApps = {"apps/v1"};
constexpr Versions<1> kBatch = {"batch/v1"};
constexpr Versions<2> kCronBatch = {"batch/v1", "batch/v1beta1"};
constexpr Versions<2> kAutoscaling = {"autoscaling/v2", "autoscaling/v2beta2"};
constexpr Versions<2> kScale = {"autoscaling/v1", "autoscaling/v2"};
constexpr Versions<2> kPolicy = {"policy/v1", "policy/v1beta1"};
constexpr Versions<1> kCoordination = {"coordination.k8s.io/v1"};
constexpr Versions<1> kDiscovery = {"discovery.k8s.io/v1"};
constexpr Versions<1> kScheduling = {"scheduling.k8s.io/v1"};
constexpr Versions<1> kStorage = {"storage.k8s.io/v1"};
constexpr Versions<1> kKarpenter = {"karpenter.sh/v1"};
constexpr Versions<1> kKarpenterAws = {"karpenter.k8s.aws/v1"};
constexpr Versions<1> kKarpenterKwok = {"karpenter.kwok.sh/v1alpha1"};
constexpr Versions<1> kKaiQueue = {"scheduling.run.ai/v2"};
constexpr Versions<1> kKaiPodGroup = {"scheduling.run.ai/v2alpha2"};
constexpr Versions<1> kKaiBindRequest = {"scheduling.run.ai/v1alpha2"};
constexpr Versions<1> kKaiTopology = {"kai.scheduler/v1alpha1"};
constexpr Versions<1> kLws = {"leaderworkerset.x-k8s.io/v1"};
constexpr Versions<1> kJobSet = {"jobset.x-k8s.io/v1alpha2"};
constexpr Versions<1> kKubeflow = {"kubeflow.org/v1"};
constexpr Versions<2> kMpi = {"kubeflow.org/v2beta1", "kubeflow.org/v1"};
constexpr Versions<2> kRay = {"ray.io/v1", "ray.io/v1alpha1"};
constexpr Versions<1> kGroveScheduler = {"scheduler.grove.io/v1alpha1"};

template <class T>
Kind row(std::string_view name, std::span<const std::string_view> versions, std::string_view plural,
         bool namespaced) {
  return {name, versions, plural, namespaced, &T::default_instance()};
}

constexpr bool kNamespaced = true;
constexpr bool kCluster = false;

/// Sorted by name.
const auto& table() {
  static const std::array rows = {
      row<kai::BindRequest>("BindRequest", kKaiBindRequest, "bindrequests", kNamespaced),
      row<k8s::ConfigMap>("ConfigMap", kCore, "configmaps", kNamespaced),
      row<k8s::CronJob>("CronJob", kCronBatch, "cronjobs", kNamespaced),
      row<k8s::DaemonSet>("DaemonSet", kApps, "daemonsets", kNamespaced),
      row<k8s::Deployment>("Deployment", kApps, "deployments", kNamespaced),
      row<karpenter::EC2NodeClass>("EC2NodeClass", kKarpenterAws, "ec2nodeclasses", kCluster),
      row<k8s::EndpointSlice>("EndpointSlice", kDiscovery, "endpointslices", kNamespaced),
      row<k8s::ObjectEvent>("Event", kCore, "events", kNamespaced),
      row<k8s::HorizontalPodAutoscaler>("HorizontalPodAutoscaler", kAutoscaling,
                                        "horizontalpodautoscalers", kNamespaced),
      row<kubeflow::JAXJob>("JAXJob", kKubeflow, "jaxjobs", kNamespaced),
      row<k8s::Job>("Job", kBatch, "jobs", kNamespaced),
      row<jobset::JobSet>("JobSet", kJobSet, "jobsets", kNamespaced),
      row<karpenter::KWOKNodeClass>("KWOKNodeClass", kKarpenterKwok, "kwoknodeclasses", kCluster),
      row<lws::LeaderWorkerSet>("LeaderWorkerSet", kLws, "leaderworkersets", kNamespaced),
      row<k8s::Lease>("Lease", kCoordination, "leases", kNamespaced),
      row<kubeflow::MPIJob>("MPIJob", kMpi, "mpijobs", kNamespaced),
      row<k8s::Namespace>("Namespace", kCore, "namespaces", kCluster),
      row<k8s::Node>("Node", kCore, "nodes", kCluster),
      row<karpenter::NodeClaim>("NodeClaim", kKarpenter, "nodeclaims", kCluster),
      row<karpenter::NodePool>("NodePool", kKarpenter, "nodepools", kCluster),
      row<k8s::PersistentVolume>("PersistentVolume", kCore, "persistentvolumes", kCluster),
      row<k8s::PersistentVolumeClaim>("PersistentVolumeClaim", kCore, "persistentvolumeclaims",
                                      kNamespaced),
      row<k8s::Pod>("Pod", kCore, "pods", kNamespaced),
      row<k8s::PodDisruptionBudget>("PodDisruptionBudget", kPolicy, "poddisruptionbudgets",
                                    kNamespaced),
      row<grove::PodGang>("PodGang", kGroveScheduler, "podgangs", kNamespaced),
      row<kai::PodGroup>("PodGroup", kKaiPodGroup, "podgroups", kNamespaced),
      row<k8s::PriorityClass>("PriorityClass", kScheduling, "priorityclasses", kCluster),
      row<kubeflow::PyTorchJob>("PyTorchJob", kKubeflow, "pytorchjobs", kNamespaced),
      row<kai::Queue>("Queue", kKaiQueue, "queues", kCluster),
      row<ray::RayCluster>("RayCluster", kRay, "rayclusters", kNamespaced),
      row<ray::RayJob>("RayJob", kRay, "rayjobs", kNamespaced),
      row<ray::RayService>("RayService", kRay, "rayservices", kNamespaced),
      row<k8s::ReplicaSet>("ReplicaSet", kApps, "replicasets", kNamespaced),
      row<k8s::Scale>("Scale", kScale, "scales", kNamespaced),
      row<k8s::Secret>("Secret", kCore, "secrets", kNamespaced),
      row<k8s::Service>("Service", kCore, "services", kNamespaced),
      row<k8s::ServiceAccount>("ServiceAccount", kCore, "serviceaccounts", kNamespaced),
      row<k8s::StatefulSet>("StatefulSet", kApps, "statefulsets", kNamespaced),
      row<k8s::StorageClass>("StorageClass", kStorage, "storageclasses", kCluster),
      row<kubeflow::TFJob>("TFJob", kKubeflow, "tfjobs", kNamespaced),
      row<kai::Topology>("Topology", kKaiTopology, "topologies", kCluster),
      row<kubeflow::XGBoostJob>("XGBoostJob", kKubeflow, "xgboostjobs", kNamespaced),
  };
  return rows;
}

const FieldDescriptor* metadata_field(const Message& object) {
  const FieldDescriptor* field = object.GetDescriptor()->FindFieldByNumber(kMetadataField);
  const bool is_meta = field != nullptr && field->message_type() == k8s::ObjectMeta::descriptor();
  return is_meta && !field->is_repeated() ? field : nullptr;
}

}  // namespace

std::span<const Kind> all_kinds() {
  return table();
}

const Kind* find_kind(std::string_view name) {
  const auto& kinds = table();
  const auto at = std::lower_bound(
      kinds.begin(), kinds.end(), name,
      [](const Kind& kind, std::string_view wanted) { return kind.name < wanted; });
  return at != kinds.end() && at->name == name ? &*at : nullptr;
}

const Kind* find_kind(std::string_view api_version, std::string_view name) {
  const Kind* kind = find_kind(name);
  if (kind == nullptr) return nullptr;
  const bool accepted =
      std::find(kind->versions.begin(), kind->versions.end(), api_version) != kind->versions.end();
  return accepted ? kind : nullptr;
}

const Kind* find_kind(const google::protobuf::Descriptor& type) {
  const auto& kinds = table();
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
    return kind.prototype->GetDescriptor() == &type;
  });
  return at != kinds.end() ? &*at : nullptr;
}

bool is_object(const Message& message) {
  return metadata_field(message) != nullptr;
}

const k8s::ObjectMeta& meta_of(const Message& object) {
  const FieldDescriptor* field = metadata_field(object);
  TROUPE_ASSERT(field != nullptr, "a message without metadata: " + object.GetTypeName());
  return static_cast<const k8s::ObjectMeta&>(object.GetReflection()->GetMessage(object, field));
}

k8s::ObjectMeta* mutable_meta(Message& object) {
  const FieldDescriptor* field = metadata_field(object);
  TROUPE_ASSERT(field != nullptr, "a message without metadata: " + object.GetTypeName());
  return static_cast<k8s::ObjectMeta*>(object.GetReflection()->MutableMessage(&object, field));
}

}  // namespace troupe
