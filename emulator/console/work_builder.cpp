#include "emulator/console/work_builder.h"

#include "emulator/manifests/json_tree.h"
#include "messages/envelope.h"
#include "messages/units.h"

namespace troupe::console {
namespace {

std::string path_of(const api::ObjectKey& key) {
  return key.kind() + "/" + key_of(key.namespace_(), key.name());
}

}  // namespace

director::Step& WorkBuilder::add(api::Verb verb) {
  director::Step& step = *plan_.add_steps();
  step.set_verb(verb);
  step.set_command(context_.number);
  return step;
}

void WorkBuilder::add_entry(const char* what, Json value) {
  const Json entry = {{"at", print_duration(context_.run.now - kTimeZero)},
                      {what, std::move(value)}};
  command_.add_scenario_steps(entry.dump());
}

void WorkBuilder::apply(Payload object) {
  add_entry("apply", manifests::json_tree(object.message()));
  objects_.push_back(std::move(object));
  add(api::APPLY).set_attachment(static_cast<std::uint32_t>(objects_.size()));
}

void WorkBuilder::patch(Payload partial) {
  add_entry("patch", manifests::json_tree(partial.message()));
  objects_.push_back(std::move(partial));
  add(api::MERGE_PATCH).set_attachment(static_cast<std::uint32_t>(objects_.size()));
}

void WorkBuilder::remove(const api::ObjectKey& key) {
  *add(api::DELETE).mutable_key() = key;
  add_entry("delete", path_of(key));
}

// A scenario has no evictions: there the pod is deleted.
void WorkBuilder::evict(const api::ObjectKey& key) {
  *add(api::EVICT).mutable_key() = key;
  add_entry("delete", path_of(key));
}

void WorkBuilder::scale(const Kind& kind, const api::ObjectKey& key, std::int64_t replicas) {
  director::Step& step = add(api::UPDATE);
  *step.mutable_key() = key;
  step.set_replicas(replicas);
  add_entry("patch", {{"apiVersion", kind.versions.front()},
                      {"kind", kind.name},
                      {"metadata", {{"name", key.name()}, {"namespace", key.namespace_()}}},
                      {"spec", {{"replicas", replicas}}}});
}

Act WorkBuilder::finish(std::string done) {
  Act act;
  act.steps = static_cast<std::size_t>(plan_.steps_size());
  act.done = std::move(done);
  *command_.mutable_work() = to_envelope(Payload::of(std::move(plan_), std::move(objects_)));
  act.command = std::move(command_);
  return act;
}

}  // namespace troupe::console
