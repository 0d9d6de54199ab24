#include "emulator/processes/replay.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "emulator/journal/journal_file.h"
#include "emulator/live/inbox_fold.h"
#include "emulator/live/inbox_journal.h"
#include "emulator/processes/host_kinds.h"
#include "emulator/processes/load_plan.h"
#include "emulator/processes/payload_difference.h"
#include "emulator/runtime/order_key_message.h"
#include "emulator/runtime/virtual_runtime.h"
#include "emulator/transport/event_codec.h"
#include "messages/envelope.h"

namespace troupe {
namespace {

// What names an event: its class, who sent or armed it, that sender's how-many-eth.
using EventName = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;

EventName name_of(const OrderKey& key) {
  return {static_cast<std::uint32_t>(key.event_class), key.sender, key.sequence};
}

// All that a run wrote, in the order of its stamps.
struct Written {
  plan::RunPlan plan;
  std::vector<inbox::Record> records;
  std::map<EventName, const inbox::Delivery*> mail;  ///< between hosts, with its payload
  /// Facts by the stamp and sender of the event that emitted them, each in their order.
  std::multimap<std::tuple<std::int64_t, std::uint64_t, std::uint64_t>, const journal::Fact*> facts;
  std::vector<journal::Record> run;
  std::vector<std::string> damage;
};

Result<void> read_run(const std::filesystem::path& journal, Written& written) {
  Result<JournalContent> content = read_journal(journal);
  if (!content) return tl::unexpected(content.error());
  if (!content->damage.empty()) written.damage.push_back("run.journal: " + content->damage);
  if (content->records.empty() || !content->records.front().has_header()) {
    return fail("the journal does not begin with a header", journal.string());
  }
  written.plan = content->records.front().header().plan();
  written.run = std::move(content->records);
  for (const journal::Record& record : written.run) {
    if (!record.has_fact()) continue;
    const runtime::OrderKey& key = record.fact().key();
    written.facts.emplace(std::tuple(key.time_ns(), key.sender(), key.sequence()), &record.fact());
  }
  return {};
}

std::int64_t stamp_of(const inbox::Record& record) {
  return record.delivery().event().key().time_ns();
}

Result<void> read_inboxes(const std::filesystem::path& journal, Written& written) {
  for (const std::string& stem : live::inbox_files(journal).stems) {
    std::vector<inbox::Record> records;
    Result<std::string> damage = live::read_inbox(
        journal, stem, [&records](inbox::Record one) { records.push_back(std::move(one)); });
    if (!damage) return tl::unexpected(damage.error());
    if (!damage->empty()) written.damage.push_back(stem + ".journal: " + *damage);
    std::move(records.begin(), records.end(), std::back_inserter(written.records));
  }
  // A birth stands just before the first event of its host.
  for (std::size_t i = written.records.size(); i-- > 0;) {
    inbox::Record& record = written.records[i];
    if (!record.has_birth() || i + 1 == written.records.size()) continue;
    record.mutable_birth()->set_at_ns(stamp_of(written.records[i + 1]));
  }
  const auto time = [](const inbox::Record& record) {
    return record.has_birth() ? record.birth().at_ns() : stamp_of(record);
  };
  std::stable_sort(written.records.begin(), written.records.end(),
                   [&](const auto& a, const auto& b) { return time(a) < time(b); });
  for (const inbox::Record& record : written.records) {
    if (!record.has_delivery() || !record.delivery().event().has_payload()) continue;
    written.mail.emplace(name_of(from_message(record.delivery().event().key())),
                         &record.delivery());
  }
  return {};
}

class FactsInHand final : public Observer {
 public:
  void on_fact(const FactRecord& record) override { facts.emplace_back(record.actor, record.fact); }
  std::vector<std::pair<std::string, Payload>> facts;
};

// One host in one epoch.
struct ReplayedHost {
  ReplayedHost(const inbox::Birth& birth, const plan::RunPlan& plan, const HostRegistry& registry)
      : path(birth.host()), runtime(options_of(birth, plan), registry) {
    runtime.add_observer(facts);
    std::map<std::string, std::map<std::string, std::string>> persisted;
    for (const inbox::Birth::Entry& entry : birth.persisted()) {
      persisted[entry.actor()][entry.key()] = entry.value();
    }
    if (!path.empty()) runtime.restore(path, std::move(persisted));
  }
  static RuntimeOptions options_of(const inbox::Birth& birth, const plan::RunPlan& plan) {
    RuntimeOptions options{
        .seed = plan.seed(), .latencies = latencies_of(plan), .faults = faults_of(plan)};
    options.queue_outside = true;
    options.epoch = birth.epoch();
    return options;
  }

  std::string path;
  VirtualRuntime runtime;
  FactsInHand facts;
  std::map<EventName, PendingEvent> own;  ///< timers and mail to itself that wait
};

class Replay {
 public:
  Replay(const Written& written, const ReplayOptions& options)
      : written_(written),
        options_(options),
        registry_(options.registry != nullptr ? *options.registry : all_host_kinds()) {}

  // The hosts whose hash leaves that remainder.
  ReplayResult run(std::uint32_t part) {
    for (const inbox::Record& record : written_.records) {
      if (record.has_birth()) {
        if (is_mine(hash_of(record.birth()), part)) begin(record);
        continue;
      }
      if (!is_mine(record.delivery().host(), part)) continue;
      if (options_.until && stamp_of(record) > to_ns(*options_.until)) break;
      if (!replay(record)) break;
    }
    result_.digest = fold_.digest();
    result_.delivered = fold_.delivered();
    return std::move(result_);
  }

 private:
  static std::uint64_t hash_of(const inbox::Birth& birth) {
    return birth.host().empty() ? 0 : host_hash(birth.host());
  }
  [[nodiscard]] bool is_mine(std::uint64_t host, std::uint32_t part) const {
    return host % options_.processes == part;
  }

  void begin(const inbox::Record& record) {
    const inbox::Birth& birth = record.birth();
    fold_.add(record);
    if (birth.epoch() == 0) ++result_.hosts;
    hosts_.insert_or_assign(hash_of(birth),
                            std::make_unique<ReplayedHost>(birth, written_.plan, registry_));
  }

  // False where the replay ends.
  bool replay(const inbox::Record& record) {
    const inbox::Delivery& delivery = record.delivery();
    const OrderKey key = from_message(delivery.event().key());
    const auto found = hosts_.find(delivery.host());
    if (found == hosts_.end()) return diverge(key, "?", "", "a host that was never begun");
    ReplayedHost& host = *found->second;
    Result<PendingEvent> event = event_of(host, delivery, key);
    if (!event) return diverge(key, host.path, "", event.error().message);
    const Payload in_hand = event->delivery.payload;
    if (in_hand.hash() != delivery.payload_hash()) {
      return diverge(key, host.path, in_hand.type_name(),
                     "what it sent or armed for itself earlier differs from what was delivered");
    }
    const Handled handled = host.runtime.handle(key, *std::move(event));
    if (const auto defect = host.runtime.take_defect()) last_defect_ = defect->what;
    if (!compare_mail(host, key, in_hand) || !compare_facts(host, key, in_hand)) return false;
    if (!handled.happened || handled.emitted != delivery.emitted()) {
      return diverge(key, actor_of(host, delivery), in_hand.type_name(),
                     handled.happened ? "what it emitted differs: a timer, a child, a persisted "
                                        "entry or mail that nobody received"
                                      : "nobody took it");
    }
    inbox::Record replayed = record;
    replayed.mutable_delivery()->set_emitted(handled.emitted);
    fold_.add(replayed);
    return trace(host, delivery, key, in_hand);
  }

  static Result<PendingEvent> event_of(ReplayedHost& host, const inbox::Delivery& delivery,
                                       const OrderKey& key) {
    if (delivery.event().has_payload()) {
      Result<Departure> arrival = transport::from_wire(delivery.event());
      if (!arrival) return tl::unexpected(arrival.error());
      return std::move(arrival->event);
    }
    const auto own = host.own.find(name_of(key));
    if (own == host.own.end()) return fail("the replay neither sent nor armed what came next");
    PendingEvent event = std::move(own->second);
    host.own.erase(own);
    return event;
  }

  // What it sent: kept if it is for itself, held against what others received if not.
  bool compare_mail(ReplayedHost& host, const OrderKey& key, const Payload& in_hand) {
    for (Departure& departure : host.runtime.take_outgoing()) {
      if (departure.event.to.host == hash_of_path(host.path)) {
        host.own.insert_or_assign(name_of(departure.key), std::move(departure.event));
        continue;
      }
      const auto mail = written_.mail.find(name_of(departure.key));
      if (mail == written_.mail.end() ||
          mail->second->payload_hash() == departure.event.delivery.payload.hash()) {
        continue;
      }
      const Result<Payload> was = from_envelope(mail->second->event().payload());
      return diverge(
          key, path_of(host, departure.event.delivery.sender), in_hand.type_name(),
          was ? first_difference(*was, departure.event.delivery.payload) : was.error().message);
    }
    return true;
  }

  bool compare_facts(ReplayedHost& host, const OrderKey& key, const Payload& in_hand) {
    const std::vector<std::pair<std::string, Payload>> facts = std::exchange(host.facts.facts, {});
    auto [was, end] =
        written_.facts.equal_range(std::tuple(to_ns(key.time), key.sender, key.sequence));
    if (was == end) return true;  // they were lost with a worker, or nothing was emitted
    for (const auto& [actor, fact] : facts) {
      if (was == end) return true;
      const Result<Payload> written = from_envelope(was->second->fact());
      ++was;
      if (!written) continue;
      const std::string difference = first_difference(*written, fact);
      if (!difference.empty()) return diverge(key, actor, in_hand.type_name(), difference);
    }
    return true;
  }

  bool trace(const ReplayedHost& host, const inbox::Delivery& delivery, const OrderKey& key,
             const Payload& in_hand) {
    if (!options_.on_event) return true;
    const std::string actor = actor_of(host, delivery);
    if (!actor.starts_with(options_.trace)) return true;
    return options_.on_event(std::to_string(static_cast<double>(to_ns(key.time)) / 1e9) + " " +
                             actor + " " + in_hand.type_name() + " " +
                             in_hand.message().ShortDebugString());
  }

  static std::uint64_t hash_of_path(const std::string& path) {
    return path.empty() ? 0 : host_hash(path);
  }
  static std::string actor_of(const ReplayedHost& host, const inbox::Delivery& delivery) {
    return path_of(host, transport::from_wire(delivery.event().to()));
  }
  static std::string path_of(const ReplayedHost& host, const Address& actor) {
    const std::string path = host.runtime.path_of(actor);
    return path.empty() ? host.path : path;
  }

  bool diverge(const OrderKey& key, const std::string& actor, const std::string& message,
               const std::string& field) {
    result_.divergence = Divergence{key.time, actor, message,
                                    last_defect_.empty() ? field : field + "; " + last_defect_};
    return false;
  }

  const Written& written_;
  const ReplayOptions& options_;
  HostRegistry registry_;
  std::map<std::uint64_t, std::unique_ptr<ReplayedHost>> hosts_;
  live::InboxFold fold_;
  ReplayResult result_;
  std::string last_defect_;
};

// ---- over several processes: each sends what it came to through a pipe ----

std::string to_bytes(const ReplayResult& result) {
  wire::Message message;
  wire::Report& report = *message.mutable_report();
  report.set_digest_low(result.digest.low);
  report.set_digest_high(result.digest.high);
  report.set_delivered(result.delivered);
  report.set_next_ns(static_cast<std::int64_t>(result.hosts));
  if (result.divergence) {
    report.mutable_defect()->set_actor(result.divergence->actor);
    report.mutable_defect()->set_message(result.divergence->message);
    report.mutable_defect()->set_time_ns(to_ns(result.divergence->time));
    report.mutable_defect()->set_what(result.divergence->field);
  }
  return message.SerializeAsString();
}

void add(ReplayResult& total, const wire::Report& report) {
  total.digest += Digest{report.digest_low(), report.digest_high()};
  total.delivered += report.delivered();
  total.hosts += static_cast<std::uint64_t>(report.next_ns());
  if (!report.has_defect()) return;
  const wire::Defect& defect = report.defect();
  const SimTime time = from_ns(defect.time_ns());
  if (total.divergence && total.divergence->time <= time) return;
  total.divergence = Divergence{time, defect.actor(), defect.message(), defect.what()};
}

Result<ReplayResult> run_parts(const Written& written, const ReplayOptions& options) {
  std::vector<std::pair<pid_t, int>> parts;
  for (std::uint32_t part = 0; part < options.processes; ++part) {
    int ends[2];
    if (pipe(ends) != 0) return fail(std::string("no pipe: ") + std::strerror(errno));
    const pid_t pid = fork();
    if (pid < 0) return fail(std::string("cannot start a process: ") + std::strerror(errno));
    if (pid == 0) {
      close(ends[0]);
      const std::string bytes = to_bytes(Replay(written, options).run(part));
      const bool whole =
          write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
      _exit(whole ? 0 : 3);
    }
    close(ends[1]);
    parts.emplace_back(pid, ends[0]);
  }
  ReplayResult total;
  bool failed = false;
  for (const auto& [pid, end] : parts) {
    std::string bytes;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(end, buffer, sizeof buffer)) > 0;) {
      bytes.append(buffer, static_cast<std::size_t>(n));
    }
    close(end);
    int status = 0;
    waitpid(pid, &status, 0);
    wire::Message message;
    failed = failed || status != 0 || !message.ParseFromString(bytes);
    add(total, message.report());
  }
  if (failed) return fail("a process of the replay died");
  return total;
}

}  // namespace

Result<ReplayResult> replay_live(const std::filesystem::path& journal,
                                 const ReplayOptions& options) {
  Written written;
  if (const Result<void> read = read_run(journal, written); !read) {
    return tl::unexpected(read.error());
  }
  if (const Result<void> read = read_inboxes(journal, written); !read) {
    return tl::unexpected(read.error());
  }
  Result<ReplayResult> result = options.processes == 1
                                    ? Result<ReplayResult>(Replay(written, options).run(0))
                                    : run_parts(written, options);
  if (result) result->damage = std::move(written.damage);
  return result;
}

}  // namespace troupe
