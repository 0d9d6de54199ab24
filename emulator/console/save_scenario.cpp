#include "emulator/console/save_scenario.h"

#include "emulator/manifests/json_tree.h"
#include "emulator/manifests/raw_json.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_emitter.h"
#include "emulator/manifests/yaml_node.h"
#include "emulator/manifests/yaml_overlay.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::console {
namespace {

namespace fs = std::filesystem;
using manifests::JsonTree;
using manifests::YamlRef;

Result<YamlRef> as_it_was_run(const YamlRef& document, const config::LoadOptions& load) {
  auto plain = std::make_shared<manifests::YamlNode>(*document);
  std::erase_if(plain->entries, [](const auto& entry) { return entry.key == "variants"; });
  YamlRef tree = plain;
  if (!load.variant.empty()) {
    const manifests::YamlNode* variants = manifests::find(*document, "variants");
    for (const manifests::YamlEntry& entry : variants->entries) {
      if (entry.key == load.variant) tree = manifests::overlay(tree, entry.value);
    }
  }
  for (const std::string& set : load.sets) {
    const std::size_t equals = set.find('=');
    Result<YamlRef> changed =
        manifests::with_value(tree, set.substr(0, equals), set.substr(equals + 1));
    if (!changed) return changed;
    tree = *changed;
  }
  return tree;
}

// A name that held from the folder of the scenario holds from the target's.
void move_file(JsonTree& name, const fs::path& from, const fs::path& to) {
  if (!name.is_string()) return;
  const fs::path file = name.get<std::string>();
  if (file.is_absolute()) return;
  name = fs::absolute(from / file).lexically_normal().lexically_relative(to).string();
}

void move_files(JsonTree& scenario, const fs::path& from, const fs::path& to) {
  if (scenario.contains("topology")) move_file(scenario["topology"], from, to);
  if (scenario.contains("manifests")) {
    for (JsonTree& one : scenario["manifests"]) move_file(one, from, to);
  }
  if (scenario.contains("toy") && scenario["toy"].contains("arrivals")) {
    move_file(scenario["toy"]["arrivals"], from, to);
  }
  if (!scenario.contains("traffic")) return;
  for (JsonTree& load : scenario["traffic"]) {
    if (!load.contains("trace")) continue;
    for (const char* key : {"file", "fallback"}) {
      if (load["trace"].contains(key)) move_file(load["trace"][key], from, to);
    }
  }
}

void add_entries(JsonTree& scenario, const char* key,
                 const google::protobuf::RepeatedPtrField<std::string>& entries) {
  for (const std::string& entry : entries) scenario[key].push_back(JsonTree::parse(entry));
}

}  // namespace

Result<std::string> scenario_with(const fs::path& scenario, const config::LoadOptions& load,
                                  std::uint64_t seed, const std::vector<journal::Command>& commands,
                                  const fs::path& target) {
  const Result<std::string> text = manifests::read_text_file(scenario.string());
  if (!text) return tl::unexpected(text.error());
  const manifests::YamlFile yaml = manifests::parse_yaml(*text, scenario.string());
  if (yaml.documents.empty()) return fail("the scenario is not there any more", scenario.string());
  const Result<YamlRef> tree = as_it_was_run(yaml.documents.front(), load);
  if (!tree) return tl::unexpected(tree.error());
  JsonTree head = JsonTree::parse(manifests::json_text(**tree));
  // What says what a file is stands first.
  JsonTree result = {{"apiVersion", head["apiVersion"]}, {"kind", head["kind"]}};
  for (const auto& [key, value] : head.items()) result[key] = value;
  result["seed"] = seed;
  move_files(result, fs::absolute(scenario).parent_path(), target.parent_path());
  for (const journal::Command& command : commands) {
    add_entries(result, "faults", command.scenario_faults());
    add_entries(result, "steps", command.scenario_steps());
  }
  std::string saved = manifests::emit_yaml(result);
  for (std::size_t i = 1; i < yaml.documents.size(); ++i) {
    saved +=
        "---\n" + manifests::emit_yaml(JsonTree::parse(manifests::json_text(*yaml.documents[i])));
  }
  return saved;
}

}  // namespace troupe::console
