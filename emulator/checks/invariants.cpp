#include "emulator/checks/invariants.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_set>

#include "messages/facts.pb.h"

namespace troupe::checks {
namespace {

constexpr std::uint32_t kWholeGpu = 1000;  // milli-GPU

// The shares of a GPU sum to at most the whole of it, and so an exclusive claim is alone on it.
class GpuNotShared final : public Invariant {
 public:
  void on_fact(const FactRecord& record) override {
    if (const auto* given = record.fact.as<facts::DevicesAssigned>()) return assign(record, *given);
    if (const auto* taken = record.fact.as<facts::DevicesReleased>()) return release(taken->uid());
    if (const auto* crashed = record.fact.as<facts::HostCrashed>()) forget_host(crashed->host());
  }

 private:
  struct Grant {
    std::string node;
    std::vector<std::uint32_t> gpus;
    std::uint32_t milli = 0;
  };

  void assign(const FactRecord& record, const facts::DevicesAssigned& given) {
    release(given.uid());
    Grant& grant = grants_[given.uid()];
    grant = {given.node(), {given.gpus().begin(), given.gpus().end()}, given.milli_gpu_each()};
    for (const std::uint32_t gpu : grant.gpus) {
      std::uint32_t& used = used_[{grant.node, gpu}];
      used += grant.milli;
      check(used <= kWholeGpu, record,
            grant.node + " GPU " + std::to_string(gpu) + ": " + std::to_string(used) +
                " milli-GPU given out, the last to pod " + given.namespace_() + "/" + given.name());
    }
  }

  void release(const std::string& uid) {
    const auto grant = grants_.find(uid);
    if (grant == grants_.end()) return;
    for (const std::uint32_t gpu : grant->second.gpus) {
      used_[{grant->second.node, gpu}] -= grant->second.milli;
    }
    grants_.erase(grant);
  }

  void forget_host(const std::string& host) {
    std::vector<std::string> gone;
    for (const auto& [uid, grant] : grants_) {
      if ("node/" + grant.node == host) gone.push_back(uid);
    }
    for (const std::string& uid : gone) release(uid);
  }

  std::map<std::string, Grant> grants_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> used_;
};

class BoundOnce final : public Invariant {
 public:
  void on_fact(const FactRecord& record) override {
    const auto* bound = record.fact.as<facts::PodBound>();
    if (bound == nullptr) return;
    check(bound_.insert(bound->uid()).second, record,
          "pod " + bound->namespace_() + "/" + bound->name() + " was bound again, to " +
              bound->node());
  }

 private:
  std::set<std::string> bound_;
};

class RequestEndsOnce final : public Invariant {
 public:
  void on_fact(const FactRecord& record) override {
    if (const auto* issued = record.fact.as<facts::RequestIssued>()) {
      open_.insert(issued->request());
    } else if (const auto* ended = record.fact.as<facts::RequestEnded>()) {
      check(open_.erase(ended->request()) == 1, record,
            "request " + std::to_string(ended->request()) + " ended and was not open");
    }
  }

 private:
  std::unordered_set<std::uint64_t> open_;  // asked for members only, never walked
};

struct Entry {
  InvariantRow row;
  std::function<std::unique_ptr<Invariant>()> make;
};

template <class I>
std::function<std::unique_ptr<Invariant>()> maker() {
  return [] { return std::make_unique<I>(); };
}

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = {
      {{"gpu-not-shared", "The shares of a GPU that the kubelet gave out sum to at most one GPU."},
       maker<GpuNotShared>()},
      {{"bound-once", "A pod is bound to a node at most once."}, maker<BoundOnce>()},
      {{"request-ends-once", "Every request ends at most once, and only after it was issued."},
       maker<RequestEndsOnce>()},
  };
  return entries;
}

}  // namespace

const std::vector<InvariantRow>& all_invariants() {
  static const std::vector<InvariantRow> rows = [] {
    std::vector<InvariantRow> all;
    for (const Entry& entry : table()) all.push_back(entry.row);
    return all;
  }();
  return rows;
}

bool is_invariant(std::string_view name) {
  const auto& rows = all_invariants();
  return std::any_of(rows.begin(), rows.end(),
                     [name](const auto& row) { return row.name == name; });
}

void Invariant::check(bool held, const FactRecord& record, const std::string& what) {
  ++outcome_.checked;
  if (held) return;
  if (outcome_.violations++ == 0) {
    outcome_.first = "at " + std::to_string(to_ns(record.key.time)) + " ns: " + what;
  }
}

Invariants::Invariants() {
  for (const Entry& entry : table()) all_.emplace_back(entry.row.name, entry.make());
}

void Invariants::on_fact(const FactRecord& record) {
  for (auto& [name, invariant] : all_) invariant->on_fact(record);
}

std::map<std::string, InvariantOutcome> Invariants::outcomes() const {
  std::map<std::string, InvariantOutcome> result;
  for (const auto& [name, invariant] : all_) result[name] = invariant->outcome();
  return result;
}

}  // namespace troupe::checks
