// A live run as its launcher sees it: workers against the scaled wall clock, their facts shown in
// order, their deaths made good.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "emulator/live/lateness.h"
#include "emulator/live/live_clock.h"
#include "emulator/processes/crew.h"
#include "emulator/processes/process_faults.h"
#include "emulator/runtime/latency_model.h"
#include "emulator/runtime/timeline.h"

namespace troupe {

/// What a live run came to beside its facts.
struct LiveOutcome {
  live::LatenessByClass lateness;
  std::int64_t speed_ppm = 0;      ///< at the end
  std::uint64_t transactions = 0;  ///< of the workers' stores
  std::uint64_t deaths = 0;        ///< of workers, each with a successor
  std::string unwritten;           ///< empty, or what a worker could not write
};

class LiveRun final : public Timeline {
 public:
  struct Options {
    /// Millionths of a virtual second that pass in a second; nothing: as fast as API calls and
    /// watches stay in time.
    std::optional<std::int64_t> speed_ppm = 1'000'000;
    LatencyModel::PerLink latencies = LatencyModel::defaults();
    Placement placement = {};
    std::uint64_t seed = 1;
    std::filesystem::path journal = {};  ///< the folder in which the workers write their inboxes
    SimTime end{};
    const std::atomic<bool>* stop = nullptr;
  };

  LiveRun(std::unique_ptr<Crew> crew, Options options);

  void add_observer(Observer& observer) override { observers_.push_back(&observer); }
  void inject(const Address& to, Payload what, SimTime at) override;
  std::optional<Defect> advance(SimTime end) override;
  /// Something may be due any time.
  [[nodiscard]] std::optional<SimTime> next_event() const override;
  /// The clock stands until the run goes on.
  void keep_alive() override;
  bool set_own_speed(std::optional<double> speed) override;
  [[nodiscard]] std::vector<WorkerState> workers() const override;
  [[nodiscard]] SimTime now() const override { return shown_; }
  [[nodiscard]] std::uint64_t delivered() const override { return delivered_; }
  /// Of the whole run, once it has been ended.
  [[nodiscard]] Digest digest() override { return digest_; }

  /// Ends the run at every worker, and hears what it came to there.
  void finish();
  /// From now on: 0 pauses.
  void set_speed(std::int64_t speed_ppm);
  [[nodiscard]] const LiveOutcome& outcome() const { return outcome_; }
  [[nodiscard]] std::uint64_t defects() const { return defects_; }
  /// What was refused, by the launcher and by those workers that saw the end.
  [[nodiscard]] transport::Refused refused() const;

 private:
  struct Fact {
    OrderKey key;
    std::string actor;
    Payload fact;
  };
  struct Worker {
    bool there = true;
    bool idle = false;
    bool ended = false;
    bool said_end = false;  ///< what it came to
    SimTime watermark{};
    live::LatenessByClass lateness;
    live::LatenessByClass before;  ///< of the processes that had its place before
    // While it is away:
    std::string how;  ///< it went, or a successor could not begin
    std::chrono::steady_clock::time_point since{};
    std::optional<std::chrono::steady_clock::time_point> try_again = {};
  };

  void tell_standstill(SimTime end) override;
  void begin();
  void hear(std::chrono::milliseconds patience);
  [[nodiscard]] std::chrono::milliseconds patience() const;
  [[nodiscard]] bool is_held_up() const;
  void tell(Payload fact);
  void show(const Fact& fact);
  // Each says whether what a worker said makes sense.
  bool take(std::uint32_t process, const wire::Message& message);
  bool take_facts(const journal::Facts& facts);
  bool take_progress(Worker& worker, const wire::Progress& progress);
  bool take_end(Worker& worker, const wire::Ended& ended);
  void look_for_losses();
  void lost(std::uint32_t process);
  void could_not_begin(const std::string& how);
  void start_successors();
  void fold_for(std::uint32_t process);
  void joined(std::uint32_t process);
  void show_until(SimTime watermark);
  [[nodiscard]] SimTime watermark() const;
  [[nodiscard]] live::LatenessByClass lateness() const;
  void adapt_speed();
  void send_clock(std::uint32_t process);
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  std::unique_ptr<Crew> crew_;
  Options options_;
  live::LiveClock clock_;
  std::vector<Worker> workers_;
  std::vector<Observer*> observers_;
  ProcessFaults process_faults_;
  std::vector<Fact> facts_;  ///< that are not shown yet
  /// Rules of the network given by hand: whoever joins later must know them, too.
  std::vector<wire::Message> rules_;
  SimTime shown_{};  ///< every fact before it was shown
  SimTime next_checkpoint_{std::chrono::seconds(1)};
  bool began_ = false;
  bool finished_ = false;
  std::int64_t speed_ppm_ = 0;
  std::optional<std::int64_t> standing_;  ///< the speed to go on with
  std::uint64_t sequence_ = 0;
  std::uint64_t told_ = 0;  ///< facts of the launcher's own
  std::uint64_t delivered_ = 0;
  std::uint64_t defects_ = 0;
  Digest digest_;
  transport::Refused refused_by_workers_;
  LiveOutcome outcome_;
  live::LatenessByClass adapted_on_;
  /// Where the speed adapts: what was measured at speeds that turned out to be too high.
  std::optional<live::LatenessByClass> outgrown_;
  std::chrono::steady_clock::time_point adapted_{};
  std::chrono::steady_clock::time_point looked_{};
  std::optional<Defect> defect_;
};

}  // namespace troupe
