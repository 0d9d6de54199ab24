#include "emulator/config/fault_text.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "emulator/config/election_plan.h"
#include "emulator/config/fault_plan.h"
#include "emulator/config/reference_checks.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/raw_json.h"
#include "emulator/manifests/schema.h"
#include "emulator/manifests/yaml_overlay.h"
#include "messages/director.pb.h"
#include "messages/envelope.h"
#include "messages/hosts.pb.h"
#include "messages/units.h"

namespace troupe::config {
namespace {

using manifests::YamlNode;
using manifests::YamlRef;

constexpr const char* kTyped = "the fault";
// Faults of a scenario are counted from 0; typed ones come after all that a scenario may have.
constexpr std::uint32_t kTypedFirst = 1'000'000;
constexpr const char* kOrdersDirector = "controller/director/0";
constexpr const char* kStart = "start";

Result<YamlRef> parse(const std::string& text) {
  manifests::Diagnostics diagnostics;
  YamlRef tree = manifests::parse_document(text, kTyped, diagnostics);
  if (!tree) return fail(diagnostics.empty() ? "expected a fault" : diagnostics.front().message);
  return tree;
}

// The place of a field: below the kind if the kind has such a field, else beside it, else in the
// target.
Result<std::string> place_of(const std::string& kind, const std::string& field) {
  manifests::SchemaCache schemas;
  const manifests::MessageSchema& fault = schemas.of(*Fault::descriptor());
  const int at = fault.index_of(kind);
  if (at < 0) {
    std::string known;
    for (const std::string& name : fault_kinds()) known += " " + name;
    return fail("no fault \"" + kind + "\"; there are" + known);
  }
  const std::string first = field.substr(0, field.find('.'));
  const auto* type = fault.fields[static_cast<std::size_t>(at)].field->message_type();
  const bool own = type != nullptr && schemas.of(*type).index_of(first) >= 0;
  if (own) return kind + "." + field;
  if (fault.index_of(first) >= 0) return field;
  const bool of_target = schemas.of(*FaultTarget::descriptor()).index_of(first) >= 0;
  return (of_target ? "target." : kind + ".") + field;
}

Result<YamlRef> tree_of(const std::vector<std::string>& words) {
  if (words.empty()) return fail("expected a fault: KIND FIELD=VALUE..., or a YAML mapping");
  if (words.front().starts_with("{")) return parse(words.front());
  const std::string& kind = words.front();
  const Result<std::string> known = place_of(kind, "");
  if (!known) return tl::unexpected(known.error());
  const bool mapping = words.size() > 1 && words[1].starts_with("{");
  Result<YamlRef> tree = parse("{" + kind + ": " + (mapping ? words[1] : "{}") + "}");
  for (std::size_t i = mapping ? 2 : 1; i < words.size(); ++i) {
    if (!tree) return tree;
    const std::size_t equals = words[i].find('=');
    if (equals == std::string::npos) {
      return fail("expected FIELD=VALUE, found \"" + words[i] + "\"");
    }
    const Result<std::string> place = place_of(kind, words[i].substr(0, equals));
    if (!place) return tl::unexpected(place.error());
    tree = manifests::with_value(*tree, *place, words[i].substr(equals + 1));
  }
  return tree;
}

bool says(const YamlNode& tree, const char* key) {
  return manifests::find(tree, key) != nullptr;
}

// The fault at once if it does not say when, from now on if it says how often or on what. The entry
// of a scenario says `shown` for that.
Result<YamlRef> timed(const YamlRef& tree, SimTime moment) {
  const bool repeats = says(*tree, "when") || says(*tree, "every") || says(*tree, "rate");
  if (says(*tree, "at") || (repeats && says(*tree, kStart))) return tree;
  return manifests::with_value(tree, repeats ? kStart : "at", print_duration(moment - kTimeZero));
}

// `in=10s`: so long from now.
Result<std::optional<Duration>> take_delay(std::vector<std::string>& words) {
  constexpr std::string_view kIn = "in=";
  std::optional<Duration> delay;
  for (auto word = words.begin(); word != words.end();) {
    if (!word->starts_with(kIn)) {
      ++word;
      continue;
    }
    const Result<Duration> said = parse_duration(word->substr(kIn.size()));
    if (!said || *said < Duration::zero() || delay) {
      return fail("expected one `in=DURATION`, as in in=10s");
    }
    delay = *said;
    word = words.erase(word);
  }
  return delay;
}

// The topology as far as faults are checked against it.
void infer_topology(const plan::RunPlan& run, Inputs& inputs) {
  for (const plan::HostPlan& host : run.hosts()) {
    if (host.kind() != "cloud") continue;
    inputs.topology.mutable_cloud();
    const Result<Payload> config = from_envelope(host.attachments(0));
    const auto* cloud = config ? config->as<hosts::CloudConfig>() : nullptr;
    if (cloud == nullptr) continue;
    for (const hosts::InstanceType& type : cloud->instance_types()) {
      inputs.instance_types.add_instance_types()->set_name(type.name());
    }
  }
}

std::vector<fault::Order> orders_of(const plan::RunPlan& planned) {
  std::vector<fault::Order> orders;
  for (const plan::HostPlan& host : planned.hosts()) {
    if (host.path() != kOrdersDirector) continue;
    const Result<Payload> work = from_envelope(host.attachments(0));
    const auto& faults = work->as<director::Plan>()->faults();
    orders.assign(faults.begin(), faults.end());
  }
  return orders;
}

// What would end the fault, were it said to last for a while.
std::vector<plan::FaultPlan> heals_of(Inputs inputs, const plan::RunPlan& run,
                                      std::uint32_t first) {
  Fault& fault = *inputs.scenario.mutable_faults(0);
  if (fault.duration().empty()) fault.set_duration("1s");
  plan::RunPlan planned = run;
  planned.clear_faults();
  planned.clear_process_faults();
  Problems problems;
  plan_faults(inputs, planned, problems, first);
  std::vector<plan::FaultPlan> heals;
  if (!problems.empty()) return heals;  // of a kind that nothing ends
  for (const auto* entries : {&planned.faults(), &planned.process_faults()}) {
    std::ranges::copy_if(*entries, std::back_inserter(heals), &plan::FaultPlan::heals);
  }
  return heals;
}

void check_moments(const plan::RunPlan& planned, SimTime effect, Problems& problems) {
  const auto check = [&](std::int64_t at_ns) {
    if (at_ns < to_ns(effect)) problems.add("at", "that moment has passed");
    if (at_ns >= planned.duration_ns()) problems.add("at", "the run has ended by then");
  };
  for (const plan::FaultPlan& fault : planned.faults()) {
    if (!fault.heals()) check(fault.at_ns());
  }
  for (const fault::LinkRule& rule : planned.links()) {
    for (const std::int64_t at_ns : rule.begin_ns()) check(at_ns);
  }
  for (const fault::Order& order : orders_of(planned)) {
    for (const std::int64_t at_ns : order.at_ns()) check(at_ns);
  }
}

}  // namespace

Result<TypedFault> read_fault(const std::vector<std::string>& typed, const plan::RunPlan& run,
                              SimTime effect, SimTime shown, std::uint64_t number) {
  std::vector<std::string> words = typed;
  const Result<std::optional<Duration>> delay = take_delay(words);
  if (!delay) return tl::unexpected(delay.error());
  const Duration later = delay->value_or(Duration::zero());
  const Result<YamlRef> tree = tree_of(words);
  if (!tree) return tl::unexpected(tree.error());
  if ((*tree)->kind != YamlNode::Kind::Map) return fail("expected a mapping of one fault");
  if (*delay && says(**tree, "at")) return fail("expected one of `at` and `in`");
  const Result<YamlRef> fault = timed(*tree, effect + later);
  const Result<YamlRef> entry = timed(*tree, shown + later);
  if (!fault || !entry) return fail("expected a mapping of one fault");
  Inputs inputs;
  const manifests::Diagnostics diagnostics =
      manifests::read_tree(**fault, kTyped, *inputs.scenario.add_faults());
  if (manifests::has_errors(diagnostics)) {
    return fail(diagnostics.front().path + ": " + diagnostics.front().message);
  }
  infer_topology(run, inputs);
  inputs.live = run.live();
  plan::RunPlan planned = run;
  planned.clear_faults();
  planned.clear_process_faults();
  Problems problems;
  const std::uint32_t index = kTypedFirst + static_cast<std::uint32_t>(number);
  plan_faults(inputs, planned, problems, index);
  if (problems.empty()) check_references(inputs, planned, problems);
  planned.mutable_faults()->MergeFrom(planned.process_faults());
  check_moments(planned, effect, problems);
  if (!problems.empty()) {
    const Problem& first = problems.all().front();
    return fail(first.path + ": " + first.message);
  }
  TypedFault result{{planned.faults().begin(), planned.faults().end()},
                    heals_of(inputs, run, index),
                    orders_of(planned),
                    {},
                    manifests::json_text(**entry)};
  for (fault::LinkRule& rule : *planned.mutable_links()) {
    rule.set_by_hand(true);
    *result.rules.add_links() = rule;
  }
  *result.rules.mutable_watched_facts() = planned.watched_facts();
  return result;
}

plan::RunPlan plan_for_faults(const plan::RunPlan& run) {
  plan::RunPlan part;
  part.set_seed(run.seed());
  part.set_duration_ns(run.duration_ns());
  part.set_live(run.live());
  for (const plan::HostPlan& host : run.hosts()) {
    plan::HostPlan& kept = *part.add_hosts();
    kept.set_path(host.path());
    kept.set_kind(host.kind());
    if (host.kind() == "node" || host.kind() == "cloud") {
      *kept.mutable_attachments() = host.attachments();
    } else if (const auto election = planned_election(host)) {
      *kept.add_attachments() = to_envelope(Payload::of(*election));
    }
    // Orders are read from here; those of the scenario are no business of a typed fault.
    if (host.path() == kOrdersDirector) {
      *kept.add_attachments() = to_envelope(Payload::of(director::Plan{}));
    }
  }
  return part;
}

std::vector<std::string> fault_kinds() {
  std::vector<std::string> kinds;
  const google::protobuf::Descriptor& fault = *Fault::descriptor();
  const google::protobuf::FileDescriptor& file = *fault.file();
  for (int i = 0; i < fault.field_count(); ++i) {
    // A kind's fields are a message of Fault; what all faults have are scalars or messages beside
    // it.
    const google::protobuf::Descriptor* type = fault.field(i)->message_type();
    if (type == nullptr || type->containing_type() != &fault || type->file() != &file) continue;
    kinds.push_back(manifests::schema_of(*fault.field(i)).name);
  }
  return kinds;
}

}  // namespace troupe::config
