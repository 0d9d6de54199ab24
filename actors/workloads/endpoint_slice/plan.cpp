#include "actors/workloads/endpoint_slice/plan.h"

#include <algorithm>
#include <utility>

#include "actors/workloads/endpoint_slice/endpoints.h"
#include "actors/workloads/objects/owners.h"
#include "messages/labels.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

/// Endpoints still to be placed, by identity.
using Wanted = std::map<std::string, k8s::Endpoint>;

/// The pods that have the same ports, and the slices that say those ports.
struct PortGroup {
  std::vector<k8s::EndpointPort> ports;
  Wanted wanted;
  std::vector<SlicePtr> slices;
  bool has_pods = false;
};

template <class Ports>
std::string port_key(const Ports& ports) {
  std::string key;
  for (const k8s::EndpointPort& port : ports) {
    const std::string bytes = port.SerializeAsString();
    key += std::to_string(bytes.size()) + ':' + bytes;
  }
  return key;
}

bool is_reserved(std::string_view label) {
  return label == kServiceNameLabel || label == kManagedByLabel || label == kHeadlessLabel;
}

LabelMap without_reserved(const LabelMap& labels) {
  LabelMap result;
  for (const k8s::KeyValue& pair : labels) {
    if (!is_reserved(pair.key())) *result.Add() = pair;
  }
  return result;
}

/// A slice has the labels of its Service and those by which it is found.
LabelMap labels_for(const k8s::Service& service) {
  LabelMap labels = without_reserved(service.metadata().labels());
  set_label(labels, kServiceNameLabel, service.metadata().name());
  set_label(labels, kManagedByLabel, kSliceManager);
  if (service.spec().cluster_ip() == "None") set_label(labels, kHeadlessLabel, "");
  return labels;
}

bool is_owned_by(const k8s::EndpointSlice& slice, const k8s::Service& service) {
  return controller_uid(slice.metadata()) == service.metadata().uid();
}

k8s::EndpointSlice new_slice(const k8s::Service& service,
                             const std::vector<k8s::EndpointPort>& ports) {
  k8s::EndpointSlice slice;
  k8s::ObjectMeta& meta = *slice.mutable_metadata();
  meta.set_namespace_(service.metadata().namespace_());
  meta.set_generate_name(service.metadata().name() + "-");
  *meta.mutable_labels() = labels_for(service);
  *meta.add_owner_references() = controller_reference(service);
  slice.set_address_type("IPv4");
  for (const k8s::EndpointPort& port : ports) *slice.add_ports() = port;
  return slice;
}

/// The slices of one set of ports while they are filled.
class Fitting {
 public:
  Fitting(const k8s::Service& service, PortGroup& group) : service_(service), group_(group) {}

  void run(SlicePlan& plan) {
    keep();
    fill_changed();
    place_rest();
    for (Candidate& slice : candidates_) {
      if (slice.fate == Fate::Update) plan.update.push_back(std::move(slice.now));
      if (slice.fate == Fate::Remove) plan.remove.push_back(slice.before);
    }
    for (k8s::EndpointSlice& slice : created_) plan.create.push_back(std::move(slice));
  }

 private:
  enum class Fate { Unchanged, Update, Remove };
  struct Candidate {
    SlicePtr before;
    k8s::EndpointSlice now;
    Fate fate;
  };

  static std::size_t size_of(const k8s::EndpointSlice& slice) {
    return static_cast<std::size_t>(slice.endpoints_size());
  }

  /// Endpoints that are still wanted stay where they are.
  void keep() {
    const LabelMap labels = labels_for(service_);
    for (const SlicePtr& before : group_.slices) {
      Candidate slice{before, *before, Fate::Unchanged};
      slice.now.clear_endpoints();
      bool changed = false;
      for (const k8s::Endpoint& endpoint : before->endpoints()) {
        const auto wanted = group_.wanted.find(identity_of(endpoint));
        if (wanted == group_.wanted.end()) continue;
        changed |= !same_message(wanted->second, endpoint);
        *slice.now.add_endpoints() = std::move(wanted->second);
        group_.wanted.erase(wanted);
      }
      changed |= slice.now.endpoints_size() != before->endpoints_size();
      const bool relabelled = !same_labels(without_reserved(before->metadata().labels()),
                                           without_reserved(service_.metadata().labels()));
      if (changed && slice.now.endpoints_size() == 0) {
        slice.fate = Fate::Remove;
      } else if (changed || relabelled) {
        slice.fate = Fate::Update;
        *slice.now.mutable_metadata()->mutable_labels() = labels;
      }
      candidates_.push_back(std::move(slice));
    }
  }

  void fill(k8s::EndpointSlice& slice) {
    while (!group_.wanted.empty() && size_of(slice) < kMaxEndpointsPerSlice) {
      *slice.add_endpoints() = std::move(group_.wanted.begin()->second);
      group_.wanted.erase(group_.wanted.begin());
    }
  }

  /// The fullest first.
  void fill_changed() {
    std::vector<Candidate*> changed;
    for (Candidate& slice : candidates_) {
      if (slice.fate == Fate::Update) changed.push_back(&slice);
    }
    std::ranges::stable_sort(changed, std::ranges::greater{},
                             [](const Candidate* slice) { return size_of(slice->now); });
    for (Candidate* slice : changed) fill(slice->now);
  }

  void place_rest() {
    while (!group_.wanted.empty()) {
      if (Candidate* roomy = slice_with_room(group_.wanted.size())) {
        roomy->fate = Fate::Update;
        fill(roomy->now);
      } else {
        fill(created_.emplace_back(new_slice(service_, group_.ports)));
      }
    }
  }

  /// The slice that so many more endpoints fill best; null if they fit into none.
  Candidate* slice_with_room(std::size_t count) {
    Candidate* best = nullptr;
    for (Candidate& slice : candidates_) {
      const bool fits =
          slice.fate == Fate::Unchanged && size_of(slice.now) + count <= kMaxEndpointsPerSlice;
      const bool better = best == nullptr || size_of(slice.now) > size_of(best->now);
      // As many as fill a slice make one of their own.
      if (fits && better && count < kMaxEndpointsPerSlice) best = &slice;
    }
    return best;
  }

  const k8s::Service& service_;
  PortGroup& group_;
  std::vector<Candidate> candidates_;
  std::vector<k8s::EndpointSlice> created_;
};

using PortGroups = std::map<std::string, PortGroup>;

void add_pods(const k8s::Service& service, const std::map<std::string, PodPtr>& pods,
              const NodeLookup& node_of, PortGroups& groups, SlicePlan& plan) {
  for (const auto& [path, pod] : pods) {
    if (!is_endpoint(*pod)) continue;
    std::vector<k8s::EndpointPort> ports = ports_of(*pod, service);
    PortGroup& group = groups[port_key(ports)];
    group.ports = std::move(ports);
    group.has_pods = true;
    const auto node = node_of(pod->spec().node_name());
    if (node == nullptr && !service.spec().publish_not_ready_addresses()) {
      plan.without_node.push_back(pod);
      continue;
    }
    k8s::Endpoint endpoint = endpoint_of(*pod, node.get(), service);
    std::string identity = identity_of(endpoint);
    group.wanted.insert_or_assign(std::move(identity), std::move(endpoint));
  }
}

/// A Service always has a slice: with none, nobody could tell that it has no endpoints from that
/// nobody has looked yet.
void keep_a_placeholder(const k8s::Service& service, std::size_t existing, SlicePlan& plan) {
  if (existing != plan.remove.size() || !plan.create.empty()) return;
  k8s::EndpointSlice placeholder = new_slice(service, {});
  if (plan.remove.size() == 1) {
    const k8s::EndpointSlice& last = *plan.remove.front();
    const bool is_placeholder =
        last.endpoints().empty() && last.ports().empty() && is_owned_by(last, service) &&
        same_labels(last.metadata().labels(), placeholder.metadata().labels());
    if (is_placeholder) {
      plan.remove.clear();
      return;
    }
  }
  plan.create.push_back(std::move(placeholder));
}

/// A slice that would be deleted is written anew instead of another one's being created.
void turn_deletions_into_updates(const k8s::Service& service, SlicePlan& plan) {
  std::erase_if(plan.remove, [&](const SlicePtr& going) {
    if (plan.create.empty() || !is_owned_by(*going, service)) return false;
    k8s::EndpointSlice slice = std::move(plan.create.back());
    plan.create.pop_back();
    slice.mutable_metadata()->clear_generate_name();
    slice.mutable_metadata()->set_name(going->metadata().name());
    plan.update.push_back(std::move(slice));
    return true;
  });
}

}  // namespace

SlicePlan plan_slices(const k8s::Service& service, const std::map<std::string, PodPtr>& pods,
                      const NodeLookup& node_of, const std::vector<SlicePtr>& existing) {
  SlicePlan plan;
  PortGroups groups;
  for (const SlicePtr& slice : existing) {
    // One of an earlier Service of the same name is the garbage collector's, or goes now.
    if (is_owned_by(*slice, service)) {
      groups[port_key(slice->ports())].slices.push_back(slice);
    } else {
      plan.remove.push_back(slice);
    }
  }
  add_pods(service, pods, node_of, groups, plan);
  for (auto& [key, group] : groups) {
    if (group.has_pods) {
      Fitting(service, group).run(plan);
    } else {
      plan.remove.insert(plan.remove.end(), group.slices.begin(), group.slices.end());
    }
  }
  keep_a_placeholder(service, existing.size(), plan);
  turn_deletions_into_updates(service, plan);
  return plan;
}

}  // namespace troupe::workloads
