#include "actors/workloads/training/pytorch_plan.h"

#include <algorithm>
#include <map>

#include "actors/workloads/objects/pods.h"
#include "messages/conditions.h"
#include "messages/labels.h"

namespace troupe::workloads {
namespace {

// kubeflow.org/v1, common_types.go.
constexpr std::string_view kOperatorNameLabel = "training.kubeflow.org/operator-name";
constexpr std::string_view kJobNameLabel = "training.kubeflow.org/job-name";
constexpr std::string_view kReplicaTypeLabel = "training.kubeflow.org/replica-type";
constexpr std::string_view kReplicaIndexLabel = "training.kubeflow.org/replica-index";
constexpr std::string_view kJobRoleLabel = "training.kubeflow.org/job-role";
constexpr std::string_view kMaster = "Master";
/// Exit codes from here on were a signal's, and worth another try: train_util.go.
constexpr std::int32_t kFirstRetryableExitCode = 128;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

std::int32_t replicas_of_role(const kubeflow::ReplicaSpec& spec) {
  return spec.has_replicas() ? spec.replicas() : 1;
}

std::string policy_of(const kubeflow::ReplicaSpec& spec) {
  return spec.has_restart_policy() ? spec.restart_policy() : "OnFailure";
}

k8s::Pod pod_of_role(const kubeflow::PyTorchJob& job, const kubeflow::Role& role,
                     std::int32_t index) {
  k8s::Pod pod = pod_of(role.spec().template_(), job.metadata().namespace_());
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  const std::string type = lower(role.role());
  meta.set_name(job.metadata().name() + "-" + type + "-" + std::to_string(index));
  *meta.add_owner_references() = controller_reference(job);
  LabelMap& labels = *meta.mutable_labels();
  set_label(labels, kOperatorNameLabel, "pytorchjob-controller");
  set_label(labels, kJobNameLabel, job.metadata().name());
  set_label(labels, kReplicaTypeLabel, type);
  set_label(labels, kReplicaIndexLabel, std::to_string(index));
  if (role.role() == kMaster) set_label(labels, kJobRoleLabel, "master");
  const std::string policy = policy_of(role.spec());
  pod.mutable_spec()->set_restart_policy(policy == "ExitCode" ? "Never" : policy);
  return pod;
}

bool was_killed(const k8s::Pod& pod) {
  return std::ranges::any_of(pod.status().container_statuses(), [](const auto& container) {
    return container.state().terminated().exit_code() >= kFirstRetryableExitCode;
  });
}

bool is_worth_a_retry(const k8s::Pod& pod, const std::string& policy) {
  return policy == "OnFailure" || policy == "Always" || (policy == "ExitCode" && was_killed(pod));
}

class PyTorchPlanner {
 public:
  PyTorchPlanner(const kubeflow::PyTorchJob& job, const OwnedPods& pods, SimTime now)
      : job_(job), now_(now) {
    plan_.updated = job;
    for (const auto& [path, pod] : pods.all()) pods_[pod->metadata().name()] = pod;
  }

  NamedPodsPlan<kubeflow::PyTorchJob> run() {
    if (is_true(job_.status().conditions(), "Succeeded") ||
        is_true(job_.status().conditions(), "Failed")) {
      clean_up();
    } else if (job_.spec().run_policy().suspend()) {
      suspend();
    } else {
      keep_running();
    }
    return std::move(plan_);
  }

 private:
  kubeflow::TrainingStatus& status() { return *plan_.updated.mutable_status(); }

  void say(std::string_view type, bool value, std::string_view reason, std::string_view message) {
    // A condition that was never true is not written down as false.
    if (!value && find_condition(status().conditions(), type) == nullptr) return;
    set_condition(*status().mutable_conditions(), {type, value ? "True" : "False", reason, message},
                  now_);
  }

  /// After the end: cleanPodPolicy, whose default is to leave the pods.
  void clean_up() {
    const std::string& policy = job_.spec().run_policy().clean_pod_policy();
    for (const auto& [name, pod] : pods_) {
      if (policy == "All" || (policy == "Running" && !is_terminal(*pod))) remove(pod);
    }
  }

  void suspend() {
    for (const auto& [name, pod] : pods_) remove(pod);
    say("Running", false, "PyTorchJobSuspended", "PyTorchJob is suspended.");
    say("Suspended", true, "PyTorchJobSuspended", "PyTorchJob is suspended.");
    status().clear_start_time();
  }

  void keep_running() {
    const std::string text = "PyTorchJob " + job_.metadata().name();
    if (find_condition(status().conditions(), "Created") == nullptr) {
      say("Created", true, "PyTorchJobCreated", text + " is created.");
    }
    say("Suspended", false, "PyTorchJobResumed", text + " is resumed.");
    if (!status().has_start_time()) status().set_start_time(to_ns(now_));
    status().clear_replica_statuses();
    std::map<std::string, PodPtr> surplus = pods_;
    for (const kubeflow::Role& role : job_.spec().pytorch_replica_specs()) {
      keep_role(role, surplus);
    }
    for (const auto& [name, pod] : surplus) remove(pod);
    conclude(text);
  }

  void keep_role(const kubeflow::Role& role, std::map<std::string, PodPtr>& surplus) {
    kubeflow::RoleStatusEntry& entry = *status().add_replica_statuses();
    entry.set_role(role.role());
    kubeflow::RoleStatus& counts = *entry.mutable_status();
    const std::int32_t replicas = replicas_of_role(role.spec());
    for (std::int32_t index = 0; index < replicas; ++index) {
      k8s::Pod wanted = pod_of_role(job_, role, index);
      const auto there = surplus.extract(wanted.metadata().name());
      if (there.empty()) {
        plan_.create.push_back(std::move(wanted));
      } else {
        count(there.mapped(), role, counts);
      }
    }
    const bool decides = role.role() == kMaster || !has_master();
    if (decides) {
      succeeded_ = replicas > 0 && counts.succeeded() == replicas;
      running_ = counts.active() > 0;
    }
  }

  void count(const PodPtr& shared, const kubeflow::Role& role, kubeflow::RoleStatus& counts) {
    const k8s::Pod& pod = *shared;
    const std::string& phase = pod.status().phase();
    restarts_ += restarts(pod);
    if (phase == "Running") counts.set_active(counts.active() + 1);
    if (phase == "Succeeded") counts.set_succeeded(counts.succeeded() + 1);
    if (phase != "Failed") return;
    counts.set_failed(counts.failed() + 1);
    if (is_worth_a_retry(pod, policy_of(role.spec()))) {
      restarting_ = true;
      remove(shared);
    } else {
      failed_ = true;
    }
  }

  [[nodiscard]] bool has_master() const {
    return std::ranges::any_of(job_.spec().pytorch_replica_specs(), [](const auto& role) {
      return role.role() == kMaster && replicas_of_role(role.spec()) > 0;
    });
  }

  void conclude(const std::string& text) {
    const kubeflow::RunPolicy& policy = job_.spec().run_policy();
    const bool gave_up =
        policy.has_backoff_limit() && restarts_ > 0 && restarts_ >= policy.backoff_limit();
    if (succeeded_) {
      end("Succeeded", "PyTorchJobSucceeded", text + " is successfully completed.");
    } else if (gave_up) {
      end("Failed", "PyTorchJobFailed",
          text + " has failed because it has reached the specified backoff limit");
    } else if (failed_) {
      end("Failed", "PyTorchJobFailed", text + " is failed because a replica failed.");
    } else if (restarting_) {
      say("Running", false, "PyTorchJobRestarting", text + " is restarting.");
      say("Restarting", true, "PyTorchJobRestarting", text + " is restarting.");
    } else if (running_) {
      say("Restarting", false, "PyTorchJobRunning", text + " is running.");
      say("Running", true, "PyTorchJobRunning", text + " is running.");
    }
  }

  void end(std::string_view type, std::string_view reason, const std::string& message) {
    plan_.create.clear();
    say("Running", false, reason, message);
    say("Restarting", false, reason, message);
    say(type, true, reason, message);
    status().set_completion_time(to_ns(now_));
  }

  void remove(const PodPtr& pod) {
    if (!is_terminating(*pod)) plan_.remove.push_back(pod);
  }

  const kubeflow::PyTorchJob& job_;
  SimTime now_;
  NamedPodsPlan<kubeflow::PyTorchJob> plan_;
  std::map<std::string, PodPtr> pods_;  ///< by name
  std::int32_t restarts_ = 0;
  bool succeeded_ = false;
  bool running_ = false;
  bool failed_ = false;
  bool restarting_ = false;
};

}  // namespace

NamedPodsPlan<kubeflow::PyTorchJob> plan_pytorch_job(const kubeflow::PyTorchJob& job,
                                                     const OwnedPods& pods, SimTime now) {
  return PyTorchPlanner(job, pods, now).run();
}

}  // namespace troupe::workloads
