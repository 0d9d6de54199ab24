#include "emulator/console/columns.h"

#include <functional>
#include <map>

#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/batch.pb.h"
#include "messages/k8s/coordination.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/policy.pb.h"
#include "messages/k8s/scheduling.pb.h"
#include "messages/kai.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"

namespace troupe::console {
namespace {

using google::protobuf::Message;
using std::to_string;

struct Column {
  std::string title;
  std::function<std::string(const Message&, const Scene&)> cell;
  bool wide = false;
};
using Columns = std::vector<Column>;

template <class T>
Column column(const char* title, std::string (*cell)(const T&, const Scene&), bool wide = false) {
  return {title,
          [cell](const Message& object, const Scene& scene) {
            return cell(static_cast<const T&>(object), scene);
          },
          wide};
}

std::string ratio(std::int64_t a, std::int64_t b) {
  return to_string(a) + "/" + to_string(b);
}

Column age() {
  return {"AGE", [](const Message& object, const Scene& scene) {
            return age_text(to_ns(scene.now) - meta_of(object).creation_timestamp());
          }};
}

// ---- pods: kubectl's printPod

std::string container_reason(const k8s::ContainerStatus& status) {
  if (status.state().has_waiting() && !status.state().waiting().reason().empty()) {
    return status.state().waiting().reason();
  }
  if (!status.state().has_terminated()) return "";
  const k8s::ContainerStateTerminated& ended = status.state().terminated();
  if (!ended.reason().empty()) return ended.reason();
  return ended.signal() != 0 ? "Signal:" + to_string(ended.signal())
                             : "ExitCode:" + to_string(ended.exit_code());
}

std::string status_of(const k8s::Pod& pod) {
  const k8s::PodStatus& status = pod.status();
  std::string reason = status.reason().empty() ? status.phase() : status.reason();
  if (reason.empty()) reason = "Pending";
  if (!pod.spec().scheduling_gates().empty()) reason = "SchedulingGated";
  bool running = false;
  for (int i = status.container_statuses_size() - 1; i >= 0; --i) {
    const k8s::ContainerStatus& container = status.container_statuses(i);
    const std::string own = container_reason(container);
    if (!own.empty()) reason = own;
    running = running || (container.ready() && container.state().has_running());
  }
  if (reason == "Completed" && running) reason = "Running";
  if (pod.metadata().has_deletion_timestamp()) {
    return status.reason() == "NodeLost" ? "Unknown" : "Terminating";
  }
  return reason;
}

std::string pod_ready(const k8s::Pod& pod, const Scene&) {
  int ready = 0;
  for (const auto& status : pod.status().container_statuses()) ready += status.ready() ? 1 : 0;
  return ratio(ready, pod.spec().containers_size());
}

std::string pod_restarts(const k8s::Pod& pod, const Scene& scene) {
  std::int64_t restarts = 0;
  std::int64_t last = 0;
  for (const auto& status : pod.status().container_statuses()) {
    restarts += status.restart_count();
    last = std::max(last, status.last_state().terminated().finished_at());
  }
  if (restarts == 0 || last == 0) return to_string(restarts);
  return to_string(restarts) + " (" + age_text(to_ns(scene.now) - last) + " ago)";
}

Columns pod_columns() {
  return {
      column<k8s::Pod>("READY", pod_ready),
      column<k8s::Pod>("STATUS", [](const k8s::Pod& p, const Scene&) { return status_of(p); }),
      column<k8s::Pod>("RESTARTS", pod_restarts),
      age(),
      column<k8s::Pod>(
          "IP", [](const k8s::Pod& p, const Scene&) { return p.status().pod_ip(); }, true),
      column<k8s::Pod>(
          "NODE", [](const k8s::Pod& p, const Scene&) { return p.spec().node_name(); }, true),
      column<k8s::Pod>(
          "NOMINATED NODE",
          [](const k8s::Pod& p, const Scene&) { return p.status().nominated_node_name(); }, true)};
}

std::string node_status(const k8s::Node& node, const Scene&) {
  const k8s::Condition* ready = find_condition(node.status().conditions(), "Ready");
  std::string text = ready == nullptr            ? "Unknown"
                     : ready->status() == "True" ? "Ready"
                                                 : "NotReady";
  if (node.spec().unschedulable()) text += ",SchedulingDisabled";
  return text;
}

Columns node_columns() {
  const auto label = [](const char* title, const char* key) {
    return Column{title,
                  [key](const Message& object, const Scene&) {
                    return std::string(label_or(meta_of(object).labels(), key));
                  },
                  true};
  };
  return {column<k8s::Node>("STATUS", node_status),
          column<k8s::Node>("ROLES", [](const k8s::Node&, const Scene&) { return std::string(); }),
          age(),
          column<k8s::Node>("VERSION",
                            [](const k8s::Node& n, const Scene&) {
                              return n.status().node_info().kubelet_version();
                            }),
          label("INSTANCE-TYPE", "node.kubernetes.io/instance-type"),
          label("CAPACITY", "karpenter.sh/capacity-type"),
          label("ZONE", "topology.kubernetes.io/zone"),
          column<k8s::Node>(
              "GPUS",
              [](const k8s::Node& n, const Scene&) {
                return amount_of(n.status().allocatable(), "nvidia.com/gpu").to_string();
              },
              true)};
}

// ---- workloads

Columns deployment_columns() {
  using D = k8s::Deployment;
  return {
      column<D>("READY",
                [](const D& d, const Scene&) {
                  return ratio(d.status().ready_replicas(), d.spec().replicas());
                }),
      column<D>("UP-TO-DATE",
                [](const D& d, const Scene&) { return to_string(d.status().updated_replicas()); }),
      column<D>(
          "AVAILABLE",
          [](const D& d, const Scene&) { return to_string(d.status().available_replicas()); }),
      age()};
}

Columns replica_set_columns() {
  using R = k8s::ReplicaSet;
  return {
      column<R>("DESIRED", [](const R& r, const Scene&) { return to_string(r.spec().replicas()); }),
      column<R>("CURRENT",
                [](const R& r, const Scene&) { return to_string(r.status().replicas()); }),
      column<R>("READY",
                [](const R& r, const Scene&) { return to_string(r.status().ready_replicas()); }),
      age()};
}

Columns stateful_set_columns() {
  using S = k8s::StatefulSet;
  return {column<S>("READY",
                    [](const S& s, const Scene&) {
                      return ratio(s.status().ready_replicas(), s.spec().replicas());
                    }),
          age()};
}

Columns daemon_set_columns() {
  using D = k8s::DaemonSet;
  return {
      column<D>("DESIRED",
                [](const D& d, const Scene&) {
                  return to_string(d.status().desired_number_scheduled());
                }),
      column<D>("CURRENT",
                [](const D& d, const Scene&) {
                  return to_string(d.status().current_number_scheduled());
                }),
      column<D>("READY",
                [](const D& d, const Scene&) { return to_string(d.status().number_ready()); }),
      column<D>("UP-TO-DATE",
                [](const D& d, const Scene&) {
                  return to_string(d.status().updated_number_scheduled());
                }),
      column<D>("AVAILABLE",
                [](const D& d, const Scene&) { return to_string(d.status().number_available()); }),
      age()};
}

Columns lws_columns() {
  using L = lws::LeaderWorkerSet;
  return {
      column<L>("READY",
                [](const L& l, const Scene&) { return to_string(l.status().ready_replicas()); }),
      column<L>("DESIRED", [](const L& l, const Scene&) { return to_string(l.spec().replicas()); }),
      column<L>("UP-TO-DATE",
                [](const L& l, const Scene&) { return to_string(l.status().updated_replicas()); }),
      age()};
}

std::string job_status(const k8s::Job& job, const Scene&) {
  if (is_true(job.status().conditions(), "Complete")) return "Complete";
  if (is_true(job.status().conditions(), "Failed")) return "Failed";
  if (job.spec().suspend()) return "Suspended";
  return "Running";
}

Columns job_columns() {
  using J = k8s::Job;
  return {column<J>("STATUS", job_status),
          column<J>("COMPLETIONS",
                    [](const J& j, const Scene&) {
                      return ratio(j.status().succeeded(),
                                   j.spec().has_completions() ? j.spec().completions() : 1);
                    }),
          column<J>("DURATION",
                    [](const J& j, const Scene& scene) {
                      if (!j.status().has_start_time()) return std::string();
                      const std::int64_t end = j.status().has_completion_time()
                                                   ? j.status().completion_time()
                                                   : to_ns(scene.now);
                      return age_text(end - j.status().start_time());
                    }),
          age()};
}

std::string metric_target(const k8s::MetricSpec& metric) {
  const k8s::MetricTarget& target = metric.type() == "Resource" ? metric.resource().target()
                                    : metric.type() == "ContainerResource"
                                        ? metric.container_resource().target()
                                    : metric.type() == "Pods"   ? metric.pods().target()
                                    : metric.type() == "Object" ? metric.object().target()
                                                                : metric.external().target();
  if (target.has_average_utilization()) return to_string(target.average_utilization()) + "%";
  return target.average_value().empty() ? target.value() : target.average_value() + " (avg)";
}

std::string metric_current(const k8s::MetricStatus& metric) {
  const k8s::MetricValueStatus& value = metric.type() == "Resource" ? metric.resource().current()
                                        : metric.type() == "ContainerResource"
                                            ? metric.container_resource().current()
                                        : metric.type() == "Pods"   ? metric.pods().current()
                                        : metric.type() == "Object" ? metric.object().current()
                                                                    : metric.external().current();
  if (value.has_average_utilization()) return to_string(value.average_utilization()) + "%";
  return value.average_value().empty() ? value.value() : value.average_value();
}

std::string hpa_targets(const k8s::HorizontalPodAutoscaler& hpa) {
  std::string text;
  for (int i = 0; i < hpa.spec().metrics_size(); ++i) {
    const bool known = i < hpa.status().current_metrics_size();
    text += (i == 0 ? "" : ", ") +
            (known ? metric_current(hpa.status().current_metrics(i)) : std::string("<unknown>")) +
            "/" + metric_target(hpa.spec().metrics(i));
  }
  return text;
}

Columns hpa_columns() {
  using H = k8s::HorizontalPodAutoscaler;
  return {
      column<H>("REFERENCE",
                [](const H& h, const Scene&) {
                  return h.spec().scale_target_ref().kind() + "/" +
                         h.spec().scale_target_ref().name();
                }),
      column<H>("TARGETS", [](const H& h, const Scene&) { return hpa_targets(h); }),
      column<H>("MINPODS",
                [](const H& h, const Scene&) {
                  return to_string(h.spec().has_min_replicas() ? h.spec().min_replicas() : 1);
                }),
      column<H>("MAXPODS",
                [](const H& h, const Scene&) { return to_string(h.spec().max_replicas()); }),
      column<H>("REPLICAS",
                [](const H& h, const Scene&) { return to_string(h.status().current_replicas()); }),
      age()};
}

Columns service_columns() {
  using S = k8s::Service;
  return {column<S>("TYPE",
                    [](const S& s, const Scene&) {
                      return s.spec().type().empty() ? std::string("ClusterIP") : s.spec().type();
                    }),
          column<S>("CLUSTER-IP", [](const S& s, const Scene&) { return s.spec().cluster_ip(); }),
          column<S>("PORT(S)",
                    [](const S& s, const Scene&) {
                      std::string text;
                      for (const auto& port : s.spec().ports()) {
                        text += (text.empty() ? "" : ",") + to_string(port.port()) + "/" +
                                (port.protocol().empty() ? "TCP" : port.protocol());
                      }
                      return text;
                    }),
          age()};
}

Columns pdb_columns() {
  using P = k8s::PodDisruptionBudget;
  const auto or_na = [](const std::string& text) {
    return text.empty() ? std::string("N/A") : text;
  };
  return {{"MIN AVAILABLE",
           [or_na](const Message& m, const Scene&) {
             return or_na(static_cast<const P&>(m).spec().min_available());
           }},
          {"MAX UNAVAILABLE",
           [or_na](const Message& m, const Scene&) {
             return or_na(static_cast<const P&>(m).spec().max_unavailable());
           }},
          column<P>(
              "ALLOWED DISRUPTIONS",
              [](const P& p, const Scene&) { return to_string(p.status().disruptions_allowed()); }),
          age()};
}

template <class T>
std::string ready_condition(const T& object, const Scene&) {
  const k8s::Condition* ready = find_condition(object.status().conditions(), "Ready");
  return ready == nullptr ? "Unknown" : ready->status();
}

Columns node_claim_columns() {
  using N = karpenter::NodeClaim;
  const auto label = [](const char* title, const char* key) {
    return Column{title, [key](const Message& object, const Scene&) {
                    return std::string(label_or(meta_of(object).labels(), key));
                  }};
  };
  return {label("TYPE", "node.kubernetes.io/instance-type"),
          label("CAPACITY", "karpenter.sh/capacity-type"),
          label("ZONE", "topology.kubernetes.io/zone"),
          column<N>("NODE", [](const N& n, const Scene&) { return n.status().node_name(); }),
          column<N>("READY", ready_condition<N>),
          age(),
          column<N>(
              "ID", [](const N& n, const Scene&) { return n.status().provider_id(); }, true),
          {"NODEPOOL",
           [](const Message& object, const Scene&) {
             return std::string(label_or(meta_of(object).labels(), "karpenter.sh/nodepool"));
           },
           true}};
}

Columns node_pool_columns() {
  using N = karpenter::NodePool;
  return {
      column<N>("NODECLASS",
                [](const N& n, const Scene&) {
                  return n.spec().template_().spec().node_class_ref().name();
                }),
      column<N>("NODES", [](const N& n, const Scene&) { return to_string(n.status().nodes()); }),
      column<N>("READY", ready_condition<N>), age()};
}

Columns pod_group_columns() {
  using P = kai::PodGroup;
  return {
      column<P>("QUEUE", [](const P& p, const Scene&) { return p.spec().queue(); }),
      column<P>("MIN", [](const P& p, const Scene&) { return to_string(p.spec().min_member()); }),
      column<P>("PENDING",
                [](const P& p, const Scene&) { return to_string(p.status().pending()); }),
      column<P>("RUNNING",
                [](const P& p, const Scene&) { return to_string(p.status().running()); }),
      age()};
}

std::string gpus(double value) {
  if (value < 0) return "unlimited";
  std::string text = to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

Columns queue_columns() {
  using Q = kai::Queue;
  return {
      column<Q>("PARENT", [](const Q& q, const Scene&) { return q.spec().parent_queue(); }),
      column<Q>("GPU-QUOTA",
                [](const Q& q, const Scene&) { return gpus(q.spec().resources().gpu().quota()); }),
      column<Q>("GPU-LIMIT",
                [](const Q& q, const Scene&) {
                  const kai::QueueResource& gpu = q.spec().resources().gpu();
                  return gpu.has_limit() ? gpus(gpu.limit()) : std::string("unlimited");
                }),
      column<Q>("GPU-WEIGHT",
                [](const Q& q, const Scene&) {
                  return gpus(q.spec().resources().gpu().over_quota_weight());
                }),
      age()};
}

Columns bind_request_columns() {
  using B = kai::BindRequest;
  return {column<B>("POD", [](const B& b, const Scene&) { return b.spec().pod_name(); }),
          column<B>("NODE", [](const B& b, const Scene&) { return b.spec().selected_node(); }),
          column<B>("PHASE", [](const B& b, const Scene&) { return b.status().phase(); }), age()};
}

Columns namespace_columns() {
  using N = k8s::Namespace;
  return {column<N>("STATUS",
                    [](const N& n, const Scene&) {
                      return n.status().phase().empty() ? std::string("Active")
                                                        : n.status().phase();
                    }),
          age()};
}

Columns event_columns() {
  using E = k8s::ObjectEvent;
  const auto about = [](const E& e, const Scene&) {
    return e.involved_object().kind() + "/" + e.involved_object().name();
  };
  const auto seen = [](const E& e, const Scene& scene) {
    return age_text(to_ns(scene.now) - e.last_timestamp());
  };
  return {column<E>("LAST SEEN", +seen),
          column<E>("TYPE", [](const E& e, const Scene&) { return e.type(); }),
          column<E>("REASON", [](const E& e, const Scene&) { return e.reason(); }),
          column<E>("OBJECT", +about),
          column<E>("MESSAGE", [](const E& e, const Scene&) { return e.message(); })};
}

const Columns& columns_of(const Kind& kind) {
  static const std::map<std::string_view, Columns> kColumns = {
      {"Pod", pod_columns()},
      {"Node", node_columns()},
      {"Deployment", deployment_columns()},
      {"ReplicaSet", replica_set_columns()},
      {"StatefulSet", stateful_set_columns()},
      {"DaemonSet", daemon_set_columns()},
      {"LeaderWorkerSet", lws_columns()},
      {"Job", job_columns()},
      {"HorizontalPodAutoscaler", hpa_columns()},
      {"Service", service_columns()},
      {"PodDisruptionBudget", pdb_columns()},
      {"NodeClaim", node_claim_columns()},
      {"NodePool", node_pool_columns()},
      {"PodGroup", pod_group_columns()},
      {"Queue", queue_columns()},
      {"BindRequest", bind_request_columns()},
      {"Namespace", namespace_columns()},
      {"Event", event_columns()},
  };
  static const Columns kOther = {age()};
  const auto found = kColumns.find(kind.name);
  return found == kColumns.end() ? kOther : found->second;
}

}  // namespace

std::string targets_text(const k8s::HorizontalPodAutoscaler& hpa) {
  return hpa_targets(hpa);
}

std::vector<std::string> titles_of(const Kind& kind, bool wide) {
  std::vector<std::string> titles;
  for (const Column& one : columns_of(kind)) {
    if (wide || !one.wide) titles.push_back(one.title);
  }
  return titles;
}

std::vector<std::string> cells_of(const Kind& kind, const Message& object, bool wide,
                                  const Scene& scene) {
  std::vector<std::string> cells;
  for (const Column& one : columns_of(kind)) {
    if (wide || !one.wide) cells.push_back(one.cell(object, scene));
  }
  return cells;
}

std::string pod_status(const Message& pod) {
  return status_of(static_cast<const k8s::Pod&>(pod));
}

}  // namespace troupe::console
