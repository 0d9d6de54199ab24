#include "emulator/journal/run_journal.h"

#include "emulator/journal/fact_message.h"

namespace troupe {
namespace {

constexpr std::uint32_t kFormat = 1;

}  // namespace

RunJournal::RunJournal(JournalWriter& writer, const plan::RunPlan& plan,
                       std::uint32_t live_processes)
    : writer_(writer) {
  journal::Record record;
  record.mutable_header()->set_format(kFormat);
  record.mutable_header()->set_program(TROUPE_VERSION);
  *record.mutable_header()->mutable_plan() = plan;
  record.mutable_header()->set_live_processes(live_processes);
  writer_.append(record);
  writer_.flush();
}

void RunJournal::on_fact(const FactRecord& fact) {
  journal::Record record;
  *record.mutable_fact() = to_message(fact);
  writer_.append(record);
}

void RunJournal::on_checkpoint(SimTime time, const Digest& digest) {
  journal::Record record;
  journal::Checkpoint& checkpoint = *record.mutable_checkpoint();
  checkpoint.set_time_ns(to_ns(time));
  checkpoint.set_digest_low(digest.low);
  checkpoint.set_digest_high(digest.high);
  writer_.append(record);
  writer_.flush();
}

void RunJournal::note(const journal::Command& command) {
  journal::Record record;
  *record.mutable_command() = command;
  writer_.append(record);
  writer_.flush();
}

void RunJournal::end(SimTime time, std::uint64_t delivered, const Digest& digest,
                     const std::optional<Defect>& defect) {
  journal::Record record;
  record.mutable_end()->set_time_ns(to_ns(time));
  record.mutable_end()->set_delivered(delivered);
  record.mutable_end()->set_digest_low(digest.low);
  record.mutable_end()->set_digest_high(digest.high);
  if (defect) record.mutable_end()->set_defect(defect->actor + ": " + defect->what);
  writer_.append(record);
}

}  // namespace troupe
