// Short ways to write the Nodes and Pods that scheduler tests are about.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "messages/k8s/core.pb.h"
#include "messages/labels.h"
#include "messages/sim_time.h"

namespace troupe::testing {

/// A node that is ready: 20 CPU, 20 GB of memory, 110 pods and no GPU, unless told otherwise.
class NodeBuilder {
 public:
  explicit NodeBuilder(std::string_view name) {
    node_.mutable_metadata()->set_name(std::string(name));
    node_.mutable_metadata()->set_uid("uid-" + std::string(name));
    label("kubernetes.io/hostname", name);
    auto* ready = node_.mutable_status()->add_conditions();
    ready->set_type("Ready");
    ready->set_status("True");
    cpu("20").memory("20G").with("pods", "110");
  }
  NodeBuilder& with(std::string_view resource, std::string_view quantity) {
    for (auto* list : {node_.mutable_status()->mutable_allocatable(),
                       node_.mutable_status()->mutable_capacity()}) {
      set_amount(*list, resource, *Quantity::parse(quantity));
    }
    return *this;
  }
  NodeBuilder& cpu(std::string_view quantity) { return with("cpu", quantity); }
  NodeBuilder& memory(std::string_view quantity) { return with("memory", quantity); }
  NodeBuilder& gpus(int count) { return with("nvidia.com/gpu", std::to_string(count)); }
  NodeBuilder& label(std::string_view key, std::string_view value) {
    set_label(*node_.mutable_metadata()->mutable_labels(), key, value);
    return *this;
  }
  NodeBuilder& zone(std::string_view value) { return label("topology.kubernetes.io/zone", value); }
  NodeBuilder& taint(std::string_view key, std::string_view value, std::string_view effect) {
    auto* taint = node_.mutable_spec()->add_taints();
    taint->set_key(std::string(key));
    taint->set_value(std::string(value));
    taint->set_effect(std::string(effect));
    return *this;
  }
  NodeBuilder& cordoned() {
    node_.mutable_spec()->set_unschedulable(true);
    return *this;
  }
  NodeBuilder& image(std::string_view name, std::int64_t bytes) {
    auto* image = node_.mutable_status()->add_images();
    image->add_names(std::string(name));
    image->set_size_bytes(bytes);
    return *this;
  }
  k8s::Node& raw() { return node_; }
  [[nodiscard]] std::shared_ptr<const k8s::Node> share() const {
    return std::make_shared<const k8s::Node>(node_);
  }

 private:
  k8s::Node node_;
};

/// A pending pod of namespace "default" with one container that asks for nothing, unless told
/// otherwise.
class PodBuilder {
 public:
  explicit PodBuilder(std::string_view name, std::string_view name_space = "default") {
    pod_.mutable_metadata()->set_name(std::string(name));
    pod_.mutable_metadata()->set_namespace_(std::string(name_space));
    pod_.mutable_metadata()->set_uid("uid-" + std::string(name));
    pod_.mutable_spec()->set_scheduler_name("default-scheduler");
    pod_.mutable_spec()->add_containers()->set_name("main");
    pod_.mutable_status()->set_phase("Pending");
  }
  PodBuilder& asks(std::string_view resource, std::string_view quantity) {
    auto* resources = pod_.mutable_spec()->mutable_containers(0)->mutable_resources();
    set_amount(*resources->mutable_requests(), resource, *Quantity::parse(quantity));
    // Extended resources cannot be overcommitted: the API server wants a limit that is equal.
    if (resource != "cpu" && resource != "memory") {
      set_amount(*resources->mutable_limits(), resource, *Quantity::parse(quantity));
    }
    return *this;
  }
  PodBuilder& cpu(std::string_view quantity) { return asks("cpu", quantity); }
  PodBuilder& memory(std::string_view quantity) { return asks("memory", quantity); }
  PodBuilder& gpus(int count) { return asks("nvidia.com/gpu", std::to_string(count)); }
  PodBuilder& label(std::string_view key, std::string_view value) {
    set_label(*pod_.mutable_metadata()->mutable_labels(), key, value);
    return *this;
  }
  PodBuilder& annotation(std::string_view key, std::string_view value) {
    set_label(*pod_.mutable_metadata()->mutable_annotations(), key, value);
    return *this;
  }
  PodBuilder& priority(int value) {
    pod_.mutable_spec()->set_priority(value);
    return *this;
  }
  PodBuilder& scheduler(std::string_view name) {
    pod_.mutable_spec()->set_scheduler_name(std::string(name));
    return *this;
  }
  PodBuilder& on(std::string_view node, std::string_view phase = "Running") {
    pod_.mutable_spec()->set_node_name(std::string(node));
    pod_.mutable_status()->set_phase(std::string(phase));
    return *this;
  }
  PodBuilder& phase(std::string_view value) {
    pod_.mutable_status()->set_phase(std::string(value));
    return *this;
  }
  PodBuilder& created(SimTime at) {
    pod_.mutable_metadata()->set_creation_timestamp(to_ns(at));
    return *this;
  }
  PodBuilder& started(SimTime at) {
    pod_.mutable_status()->set_start_time(to_ns(at));
    return *this;
  }
  PodBuilder& deleted(SimTime at) {
    pod_.mutable_metadata()->set_deletion_timestamp(to_ns(at));
    return *this;
  }
  PodBuilder& owner(std::string_view kind, std::string_view name, std::string_view api_version) {
    auto* owner = pod_.mutable_metadata()->add_owner_references();
    owner->set_kind(std::string(kind));
    owner->set_name(std::string(name));
    owner->set_uid("uid-" + std::string(name));
    owner->set_api_version(std::string(api_version));
    owner->set_controller(true);
    return *this;
  }
  PodBuilder& selects(std::string_view key, std::string_view value) {
    set_label(*pod_.mutable_spec()->mutable_node_selector(), key, value);
    return *this;
  }
  PodBuilder& tolerates(std::string_view key) {
    auto* toleration = pod_.mutable_spec()->add_tolerations();
    toleration->set_key(std::string(key));
    toleration->set_operator_("Exists");
    return *this;
  }
  PodBuilder& host_port(int port) {
    auto* added = pod_.mutable_spec()->mutable_containers(0)->add_ports();
    added->set_container_port(port);
    added->set_host_port(port);
    return *this;
  }
  /// Counts pods that share the pod's value of label `app`.
  PodBuilder& spread(std::string_view topology_key, int max_skew, std::string_view when) {
    auto* constraint = pod_.mutable_spec()->add_topology_spread_constraints();
    constraint->set_topology_key(std::string(topology_key));
    constraint->set_max_skew(max_skew);
    constraint->set_when_unsatisfiable(std::string(when));
    add_app(*constraint->mutable_label_selector());
    return *this;
  }
  PodBuilder& needs_app(std::string_view app, std::string_view topology_key) {
    return term(*pod_.mutable_spec()->mutable_affinity()->mutable_pod_affinity(), app,
                topology_key);
  }
  PodBuilder& refuses_app(std::string_view app, std::string_view topology_key) {
    return term(*pod_.mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity(), app,
                topology_key);
  }
  k8s::Pod& raw() { return pod_; }
  [[nodiscard]] std::shared_ptr<const k8s::Pod> share() const {
    return std::make_shared<const k8s::Pod>(pod_);
  }

 private:
  void add_app(k8s::LabelSelector& selector) {
    set_label(*selector.mutable_match_labels(), "app", label_or(pod_.metadata().labels(), "app"));
  }
  PodBuilder& term(k8s::PodAffinity& affinity, std::string_view app,
                   std::string_view topology_key) {
    auto* term = affinity.add_required_during_scheduling_ignored_during_execution();
    term->set_topology_key(std::string(topology_key));
    set_label(*term->mutable_label_selector()->mutable_match_labels(), "app", app);
    return *this;
  }

  k8s::Pod pod_;
};

}  // namespace troupe::testing
