// The cluster as a console shows it: a fold of facts, so that looking asks no actor and changes no
// run. Every object as it was last committed, the GPUs and what they do, requests by service,
// hosts, faults, and of each object the last things that were said or decided about it, with their
// times.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"

namespace troupe::console {

/// Something said about an object; what is said again is counted.
struct Note {
  SimTime first{};
  SimTime last{};
  std::uint32_t count = 1;
  std::string type;    ///< "Normal", "Warning"
  std::string reason;  ///< "FailedScheduling"
  std::string object;  ///< "Pod/default/web-1"
  std::string message;
  std::string source;  ///< path of the actor that said it
};

struct GpuView {
  std::string model;
  bool allocatable = false;
  std::string fault;                               ///< empty: healthy
  std::map<std::string, std::uint32_t> pods = {};  ///< milli-GPU by uid
};
struct NodeGpus {
  std::string instance;
  std::string instance_type;
  std::vector<GpuView> gpus;
};

struct PodView {
  std::string name;  ///< "namespace/name"
  std::string stage = "";
  bool busy = false;
  SimTime since{};
};

struct ServiceRequests {
  std::uint64_t issued = 0;
  std::uint64_t open = 0;
  std::uint64_t completed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::int64_t ttft_ns_total = 0;  ///< of those that got a token
  std::uint64_t with_token = 0;
  std::map<std::string, std::uint64_t> reasons = {};  ///< that clients were given
};
struct OpenRequest {
  std::string service;
  SimTime issued{};
  std::uint32_t prompt_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::int64_t ttft_ns = 0;  ///< 0: no token yet
};

struct EndedRequest {
  std::string service;
  std::string outcome;  ///< "completed", "timed out"
  std::string reason;
  SimTime at{};
  std::int64_t ttft_ns = 0;  ///< 0: no token came
  std::int64_t e2e_ns = 0;
  std::uint32_t output_tokens = 0;
};

/// What an autoscaler found when it looked last.
struct ScalerView {
  SimTime at{};
  std::int64_t current = 0;
  std::int64_t desired = 0;
  std::string reason;
};

struct HostView {
  bool up = true;
  std::uint32_t incarnation = 0;
  std::uint32_t crashes = 0;
  SimTime since{};
};

struct FaultView {
  std::string kind;
  std::string target;
  SimTime at{};
  std::optional<SimTime> healed;
  std::string detail = "";  ///< of one of the network: between whom
};

class ClusterView final : public Observer {
 public:
  using Objects = std::map<std::string, Payload>;  ///< by "namespace/name", or "name"

  void on_fact(const FactRecord& record) override;

  /// Those of a kind; empty where there is none.
  [[nodiscard]] const Objects& objects(std::string_view kind) const;
  [[nodiscard]] const Payload* find(std::string_view kind, const std::string& key) const;
  /// "Pod/default/web-1": what was said about it, the oldest first.
  [[nodiscard]] std::vector<Note> notes(const std::string& object) const;
  /// The last that were said at all, with the number of the first of them.
  [[nodiscard]] const std::deque<Note>& recent() const { return recent_; }
  [[nodiscard]] std::uint64_t said() const { return said_; }
  [[nodiscard]] const std::map<std::string, NodeGpus>& gpus() const { return gpus_; }
  /// By uid.
  [[nodiscard]] const std::map<std::string, PodView>& pods() const { return pods_; }
  [[nodiscard]] const std::map<std::string, ServiceRequests>& services() const { return services_; }
  [[nodiscard]] std::map<std::uint64_t, OpenRequest> open_requests() const;
  /// One of the last that ended; null if it is not among them.
  [[nodiscard]] const EndedRequest* ended_request(std::uint64_t id) const;
  /// Null where "hpa/default/web" has not looked yet.
  [[nodiscard]] const ScalerView* scaler(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, HostView>& hosts() const { return hosts_; }
  [[nodiscard]] const std::vector<FaultView>& faults() const { return faults_; }

 private:
  void said(SimTime now, const std::string& source, const std::string& object,
            const std::string& type, const std::string& reason, const std::string& message);

  bool fold_object(const FactRecord& record);
  bool fold_request(const FactRecord& record);
  bool fold_pod(const FactRecord& record);
  bool fold_gpu(const FactRecord& record);
  bool fold_host(const FactRecord& record);
  bool fold_decision(const FactRecord& record);
  void end_request(const facts::RequestEnded& ended, SimTime now);
  void heal(const FaultView& which, SimTime now);

  std::map<std::string, Objects, std::less<>> objects_;
  std::map<std::string, std::deque<Note>> notes_;
  std::deque<Note> recent_;
  std::uint64_t said_ = 0;
  std::map<std::string, NodeGpus> gpus_;
  std::map<std::string, PodView> pods_;
  std::map<std::string, ServiceRequests> services_;
  std::unordered_map<std::uint64_t, OpenRequest> open_;
  std::unordered_map<std::uint64_t, EndedRequest> ended_;  ///< looked up
  std::deque<std::uint64_t> ended_order_;
  std::map<std::string, ScalerView> scalers_;
  std::map<std::string, HostView> hosts_;
  std::vector<FaultView> faults_;
};

/// "namespace/name", or the name of an object without a namespace.
[[nodiscard]] std::string key_of(const std::string& name_space, const std::string& name);

}  // namespace troupe::console
