// Short ways to write samples, queries and objects for telemetry tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "actors/telemetry/label_set.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/sim_time.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry::harness {

using namespace std::chrono_literals;

inline SimTime at(Duration since_start) {
  return kTimeZero + since_start;
}

inline Sample sample(const std::string& name, double value, const LabelSet& labels = {}) {
  Sample out;
  out.set_name(name);
  out.set_value(value);
  for (const auto& [key, text] : labels.pairs()) {
    Label* label = out.add_labels();
    label->set_key(key);
    label->set_value(text);
  }
  return out;
}

inline ScrapeReply scrape_of(std::vector<Sample> samples, std::uint64_t request = 0) {
  ScrapeReply reply;
  reply.set_request_id(request);
  for (Sample& one : samples) *reply.add_samples() = std::move(one);
  return reply;
}

inline MetricsQuery pods_query(const std::string& metric, const std::string& name_space = "prod") {
  MetricsQuery query;
  query.set_source(MetricsQuery::PODS);
  query.set_namespace_(name_space);
  query.set_metric(metric);
  return query;
}

inline api::LabelRequirement requirement(const std::string& key, const std::string& op,
                                         const std::vector<std::string>& values = {}) {
  api::LabelRequirement out;
  out.set_key(key);
  out.set_operator_(op);
  for (const std::string& value : values) out.add_values(value);
  return out;
}

inline void set_ready(google::protobuf::RepeatedPtrField<k8s::Condition>& conditions, bool ready) {
  conditions.Clear();
  k8s::Condition* condition = conditions.Add();
  condition->set_type("Ready");
  condition->set_status(ready ? "True" : "False");
}

/// A running pod of the app `chat`, whose address is `node/n/pod/NAME`.
inline k8s::Pod running_pod(const std::string& name, bool ready = true) {
  k8s::Pod pod;
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_("prod");
  pod.mutable_metadata()->set_uid("uid-" + name);
  k8s::KeyValue* label = pod.mutable_metadata()->add_labels();
  label->set_key("app");
  label->set_value("chat");
  pod.mutable_spec()->set_node_name("n");
  pod.mutable_status()->set_phase("Running");
  pod.mutable_status()->set_pod_ip("node/n/pod/" + name);
  set_ready(*pod.mutable_status()->mutable_conditions(), ready);
  return pod;
}

inline k8s::Node gpu_node(const std::string& name, const std::string& gpus = "8") {
  k8s::Node node;
  node.mutable_metadata()->set_name(name);
  k8s::ResourceAmount* amount = node.mutable_status()->add_capacity();
  amount->set_name("nvidia.com/gpu");
  amount->set_quantity(gpus);
  set_ready(*node.mutable_status()->mutable_conditions(), true);
  return node;
}

}  // namespace troupe::telemetry::harness
