// Virtual time over many processes: conservative windows.
//
// No message between two processes takes less than the lookahead L. So when T is the time of the
// earliest event anywhere, each process can run all of its events before T + L without hearing from
// the others: what they still send it is due later. The launcher grants one such window after the
// other. It skips what is idle, T being the next event's and not the last window's end, and grants
// only to those that have something to do. A process that is granted a window first takes in
// exactly as many events as its peers have reported to have sent it. Facts reach the observers
// window by window, merged by key, so they see what a run in one process shows them.
#pragma once

#include <memory>
#include <vector>

#include "emulator/processes/crew.h"
#include "emulator/runtime/timeline.h"

namespace troupe {

class ManyProcesses final : public Timeline {
 public:
  /// The crew has the plan. Without a lookahead no message ever crosses.
  ManyProcesses(std::unique_ptr<Crew> crew, std::optional<Duration> lookahead,
                const std::atomic<bool>* stop);

  void add_observer(Observer& observer) override { observers_.push_back(&observer); }
  void inject(const Address& to, Payload what, SimTime at) override;
  std::optional<Defect> advance(SimTime end) override;
  [[nodiscard]] std::optional<SimTime> next_event() const override { return earliest(); }
  void keep_alive() override { crew_->ping(); }

  [[nodiscard]] std::vector<WorkerState> workers() const override;
  [[nodiscard]] SimTime now() const override { return now_; }
  [[nodiscard]] std::uint64_t delivered() const override;
  [[nodiscard]] Digest digest() override;
  [[nodiscard]] std::uint64_t windows() const { return windows_; }
  /// What was refused so far, by the launcher and, as they last said, by the workers.
  [[nodiscard]] transport::Refused refused();

 private:
  void tell_standstill(SimTime end) override;
  struct Fact {
    OrderKey key;
    std::string actor;
    Payload fact;
  };
  struct Process {
    std::optional<SimTime> next;          ///< when the next event of its queue is due
    std::optional<SimTime> arriving;      ///< the same of what is under way to it
    std::vector<std::uint64_t> incoming;  ///< events that each peer sent it, in all
    std::uint64_t delivered = 0;
    Digest digest;
    bool ran = true;          ///< since `digest` was said
    std::vector<Fact> facts;  ///< of the window in hand
    transport::Refused refused;

    [[nodiscard]] std::optional<SimTime> earliest() const;
    void expect(SimTime due);
  };

  void hear_first_reports();
  [[nodiscard]] std::optional<SimTime> earliest() const;
  void run_window(SimTime end, bool digests);
  void grant(std::uint32_t process, SimTime end, bool digest);
  void collect(std::vector<std::uint32_t> owing);
  /// Whether the message was the report that was awaited.
  bool take(const Crew::Heard& heard, bool owes);
  [[nodiscard]] Result<void> check_report(std::uint32_t process, const wire::Report& report) const;
  void take_report(std::uint32_t process, const wire::Report& report);
  [[nodiscard]] Result<void> take_facts(std::uint32_t process, const journal::Facts& facts);
  void end_for(std::uint32_t process, const std::string& message, const std::string& why);
  void tell_of_silent(const std::vector<std::uint32_t>& owing, std::chrono::seconds waited) const;
  void show_facts();
  void refresh_digests();
  [[nodiscard]] Digest sum() const;
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->load(); }

  std::unique_ptr<Crew> crew_;
  std::optional<Duration> lookahead_;
  const std::atomic<bool>* stop_;
  std::vector<Process> processes_;
  std::vector<Observer*> observers_;
  SimTime now_{};
  SimTime next_checkpoint_{std::chrono::seconds(1)};
  std::uint64_t windows_ = 0;
  std::optional<Defect> defect_;
  OrderKey defect_key_;
  bool began_ = false;
};

}  // namespace troupe
