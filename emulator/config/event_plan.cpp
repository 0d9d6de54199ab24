#include "emulator/config/event_plan.h"

#include <algorithm>

#include "emulator/config/host_plan.h"
#include "emulator/config/values.h"
#include "messages/director.pb.h"
#include "messages/kinds.h"

namespace troupe::config {
namespace {

// "Pod/default/web" or "Node/a"; false if it is neither.
bool parse_key(const std::string& text, api::ObjectKey& key) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t slash = text.find('/', begin);
    parts.push_back(text.substr(begin, slash - begin));
    if (slash == std::string::npos) break;
    begin = slash + 1;
  }
  const Kind* kind = find_kind(parts.front());
  const std::size_t expected = kind != nullptr && kind->namespaced ? 3 : 2;
  if (kind == nullptr || parts.size() != expected) return false;
  key.set_kind(parts.front());
  if (kind->namespaced) key.set_namespace_(parts[1]);
  key.set_name(parts.back());
  return true;
}

}  // namespace

void plan_objects(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  director::Plan work;
  std::vector<Payload> objects;
  for (const ManifestObject& manifest : inputs.manifests) {
    objects.push_back(manifest.object);
    director::Step& step = *work.add_steps();
    step.set_verb(api::CREATE);
    step.set_attachment(static_cast<std::uint32_t>(objects.size()));
  }
  for (int i = 0; i < inputs.scenario.steps_size(); ++i) {
    const Step& spec = inputs.scenario.steps(i);
    const StepObject& object = inputs.steps.at(static_cast<std::size_t>(i));
    director::Step& step = *work.add_steps();
    step.set_at_ns(duration_or(spec.at(), Duration::zero()).count());
    if (object.object) {
      objects.push_back(object.object);
      step.set_verb(spec.patch().empty() ? api::APPLY : api::MERGE_PATCH);
      step.set_attachment(static_cast<std::uint32_t>(objects.size()));
      for (const std::string& path : object.cleared) step.add_clear_paths(path);
    } else {
      step.set_verb(api::DELETE);
      if (!parse_key(spec.delete_(), *step.mutable_key())) {
        problems.add("steps[" + std::to_string(i) + "].delete",
                     "expected KIND/NAMESPACE/NAME, or KIND/NAME of a kind without namespaces");
      }
    }
  }
  std::stable_sort(work.mutable_steps()->begin(), work.mutable_steps()->end(),
                   [](const auto& a, const auto& b) { return a.at_ns() < b.at_ns(); });
  if (work.steps().empty()) return;
  add_host(plan, "controller/director/0", "director", std::move(work), objects);
}

}  // namespace troupe::config
