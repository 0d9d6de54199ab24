#include "emulator/journal/run_journal.h"

#include "messages/envelope.h"

namespace troupe {
namespace {

constexpr std::uint32_t kFormat = 1;

}  // namespace

RunJournal::RunJournal(JournalWriter& writer, const plan::RunPlan& plan) : writer_(writer) {
  journal::Record record;
  record.mutable_header()->set_format(kFormat);
  record.mutable_header()->set_program(TROUPE_VERSION);
  *record.mutable_header()->mutable_plan() = plan;
  writer_.append(record);
  writer_.flush();
}

void RunJournal::on_fact(const FactRecord& fact) {
  journal::Record record;
  journal::Fact& entry = *record.mutable_fact();
  runtime::OrderKey& key = *entry.mutable_key();
  key.set_time_ns(to_ns(fact.key.time));
  key.set_step(fact.key.step);
  key.set_class_(static_cast<std::uint32_t>(fact.key.event_class));
  key.set_tie(fact.key.tie);
  key.set_sender(fact.key.sender);
  key.set_sequence(fact.key.sequence);
  entry.set_actor(fact.actor);
  *entry.mutable_fact() = to_envelope(fact.fact);
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

void RunJournal::end(SimTime time, std::uint64_t delivered, const std::optional<Defect>& defect) {
  journal::Record record;
  record.mutable_end()->set_time_ns(to_ns(time));
  record.mutable_end()->set_delivered(delivered);
  if (defect) record.mutable_end()->set_defect(defect->actor + ": " + defect->what);
  writer_.append(record);
}

}  // namespace troupe
