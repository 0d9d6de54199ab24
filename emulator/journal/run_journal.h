// What a run in virtual time leaves behind: its plan, every fact, a digest each virtual second. The
// run can be made again from the plan alone; the journal is for those who look at it afterwards.
#pragma once

#include "emulator/journal/journal_file.h"
#include "emulator/runtime/observer.h"
#include "emulator/runtime/virtual_runtime.h"

namespace troupe {

class RunJournal final : public Observer {
 public:
  /// `writer` must outlive the journal.
  /// `live_processes` is 0 in virtual time.
  RunJournal(JournalWriter& writer, const plan::RunPlan& plan, std::uint32_t live_processes = 0);

  void on_fact(const FactRecord& record) override;
  void on_checkpoint(SimTime time, const Digest& digest) override;
  /// What was done to the run by hand.
  void note(const journal::Command& command);
  /// The last record.
  void end(SimTime time, std::uint64_t delivered, const Digest& digest,
           const std::optional<Defect>& defect);

 private:
  JournalWriter& writer_;
};

}  // namespace troupe
