#include "emulator/config/scenario_loader.h"

#include <algorithm>
#include <utility>

#include "emulator/config/catalogue_files.h"
#include "emulator/config/resolve.h"
#include "emulator/config/values.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/manifest_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_overlay.h"
#include "emulator/manifests/yaml_parser.h"
#include "emulator/traffic/trace_reader.h"

namespace troupe::config {
namespace {

namespace fs = std::filesystem;
using manifests::Diagnostic;
using manifests::Diagnostics;
using manifests::YamlRef;

constexpr const char* kVariants = "variants";

bool is_variant_name(const std::string& name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= 63 && is_plain(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_plain(c) || c == '-' || c == '_' || c == '.'; });
}

// Reads the files of one scenario, one after the other.
class Loader {
 public:
  Loader(fs::path file, LoadOptions options)
      : file_(std::move(file)), options_(std::move(options)) {}

  LoadedScenario load() {
    if (YamlRef document = read_scenario()) {
      tree_ = std::move(document);
      inputs_.name = file_.stem().string();
      inputs_.variant = options_.variant;
      inputs_.live = options_.live;
      append(manifests::read_tree(*tree_, file_.string(), inputs_.scenario));
      if (options_.seed) inputs_.scenario.set_seed(*options_.seed);
      if (result_.ok()) read_topology();
      if (result_.ok()) read_parts();
      if (result_.ok()) resolve_all();
    }
    if (options_.strict) manifests::promote_warnings(result_.diagnostics);
    return std::move(result_);
  }

  /// A topology alone: as a scenario that does nothing on it.
  Diagnostics load_topology() {
    inputs_.scenario.set_topology(file_.filename().string());
    inputs_.scenario.set_duration("1s");
    read_topology();
    if (result_.ok()) resolve_all();
    return std::move(result_.diagnostics);
  }

 private:
  void append(Diagnostics diagnostics) {
    for (Diagnostic& d : diagnostics) result_.diagnostics.push_back(std::move(d));
  }
  void error(const std::string& path, const std::string& message) {
    if (is_of_topology(path)) {
      result_.diagnostics.push_back(
          {topology_.string(), line_of(topology_tree_, path), path, message});
    } else {
      result_.diagnostics.push_back({file_.string(), line_of(tree_, path), path, message});
    }
  }

  // Both files have a `network`; what is wrong with it stands where it was given.
  [[nodiscard]] bool is_of_topology(const std::string& path) const {
    if (!topology_tree_) return false;
    const std::string key = path.substr(0, path.find_first_of(".["));
    return manifests::find(*topology_tree_, key) != nullptr && key != "apiVersion" &&
           key != "kind" && (!tree_ || manifests::find(*tree_, key) == nullptr);
  }

  // `where` is "file:line".
  void error_at(const std::string& where, const std::string& message) {
    const std::size_t colon = where.rfind(':');
    result_.diagnostics.push_back(
        {where.substr(0, colon), std::stoi(where.substr(colon + 1)), "", message});
  }

  static int line_of(const YamlRef& tree, const std::string& path) {
    return tree ? manifests::line_of(*tree, path) : 0;
  }

  [[nodiscard]] fs::path beside(const std::string& name) const {
    return file_.parent_path() / name;
  }

  // The scenario's document with variant and --set laid over it; the other documents are manifests.
  YamlRef read_scenario() {
    const Result<std::string> text = manifests::read_text_file(file_.string());
    if (!text) {
      error("", text.error().message);
      return nullptr;
    }
    manifests::YamlFile yaml = manifests::parse_yaml(*text, file_.string());
    append(yaml.diagnostics);
    if (!result_.ok()) return nullptr;
    if (yaml.documents.empty()) {
      error("", "the file is empty: expected a document of kind Scenario");
      return nullptr;
    }
    YamlRef scenario = yaml.documents.front();
    if (scenario->kind != manifests::YamlNode::Kind::Map ||
        manifests::header_of(*scenario).kind != "Scenario") {
      error("", "expected a first document with `apiVersion: troupe/v1` and `kind: Scenario`");
      return nullptr;
    }
    inline_manifests_.assign(yaml.documents.begin() + 1, yaml.documents.end());
    scenario = with_variant(scenario);
    for (const std::string& set : options_.sets) {
      if (!scenario) return nullptr;
      scenario = with_set(scenario, set);
    }
    return scenario;
  }

  YamlRef with_variant(const YamlRef& scenario) {
    const manifests::YamlNode* variants = manifests::find(*scenario, kVariants);
    YamlRef patch;
    std::string names;
    if (variants != nullptr) {
      if (variants->kind != manifests::YamlNode::Kind::Map) {
        error(kVariants, "expected a mapping from a variant's name to what it changes");
        return nullptr;
      }
      for (const manifests::YamlEntry& entry : variants->entries) {
        if (entry.key == options_.variant) patch = entry.value;
        names += (names.empty() ? "" : ", ") + entry.key;
        if (!is_variant_name(entry.key)) {
          tree_ = scenario;
          error(std::string(kVariants) + "." + entry.key,
                "a variant's name names a folder: expected up to 63 letters, digits, '-', '_' and "
                "'.', the first a letter or digit");
          return nullptr;
        }
        if (entry.value->kind != manifests::YamlNode::Kind::Map) {
          tree_ = scenario;
          error(std::string(kVariants) + "." + entry.key,
                "expected a mapping of what the variant changes");
          return nullptr;
        }
      }
    }
    // Laid over with an empty mapping when no variant is wanted: what is read then has no
    // `variants`.
    auto without = std::make_shared<manifests::YamlNode>(*scenario);
    std::erase_if(without->entries, [](const auto& entry) { return entry.key == kVariants; });
    if (options_.variant.empty()) return without;
    if (!patch) {
      error("", "no variant '" + options_.variant + "'" +
                    (names.empty() ? ": the scenario has none" : "; it has " + names));
      return nullptr;
    }
    return manifests::overlay(without, patch);
  }

  YamlRef with_set(const YamlRef& scenario, const std::string& set) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      error("", "--set '" + set + "': expected PATH=VALUE");
      return nullptr;
    }
    Result<YamlRef> changed =
        manifests::with_value(scenario, set.substr(0, equals), set.substr(equals + 1));
    if (!changed) {
      error("", "--set '" + set + "': " + changed.error().message);
      return nullptr;
    }
    return *changed;
  }

  void read_topology() {
    if (inputs_.scenario.has_toy()) return;
    if (inputs_.scenario.topology().empty()) {
      error("topology", "expected a topology file");
      return;
    }
    topology_ = beside(inputs_.scenario.topology());
    const Result<std::string> text = manifests::read_text_file(topology_.string());
    if (!text) return append({{topology_.string(), 0, "", text.error().message}});
    topology_tree_ = manifests::parse_document(*text, topology_.string(), result_.diagnostics);
    if (!topology_tree_) return;
    append(manifests::read_tree(*topology_tree_, topology_.string(), inputs_.topology));
    read_catalogue("models.yaml", inputs_.models);
    read_catalogue("gpus.yaml", inputs_.gpus);
    if (inputs_.topology.instance_types().empty()) {
      read_catalogue("instance-types.yaml", inputs_.instance_types);
    }
    for (const std::string& name : inputs_.topology.instance_types()) {
      InstanceTypeCatalogue catalogue;
      append(manifests::load_document((topology_.parent_path() / name).string(), catalogue));
      inputs_.instance_types.MergeFrom(catalogue);
    }
  }

  template <class Catalogue>
  void read_catalogue(const std::string& name, Catalogue& catalogue) {
    const auto path = find_catalogue(name, file_);
    if (!path)
      return error("", "cannot find topologies/" + name + " above the scenario or the program");
    append(manifests::load_document(path->string(), catalogue));
  }

  void read_parts() {
    read_manifests();
    read_steps();
    read_traces();
    if (inputs_.scenario.has_toy()) read_toy();
  }

  void read_manifests() {
    const manifests::ManifestOptions options{.strict = options_.strict};
    for (const std::string& name : inputs_.scenario.manifests()) {
      take(manifests::load_manifests(beside(name).string(), options));
    }
    for (const YamlRef& document : inline_manifests_) {
      manifests::ManifestFile objects;
      manifests::read_objects(*document, file_.string(), options, objects);
      take(std::move(objects));
    }
  }

  void take(manifests::ManifestFile file) {
    append(std::move(file.diagnostics));
    for (ManifestObject& object : objects_of(std::move(file.objects))) {
      inputs_.manifests.push_back(std::move(object));
    }
  }

  void read_steps() {
    for (int i = 0; i < inputs_.scenario.steps_size(); ++i) {
      const Step& step = inputs_.scenario.steps(i);
      const std::string path = "steps[" + std::to_string(i) + "]";
      const int actions = static_cast<int>(!step.apply().empty()) +
                          static_cast<int>(!step.patch().empty()) +
                          static_cast<int>(!step.delete_().empty());
      inputs_.steps.emplace_back();
      if (actions != 1) {
        error(path, "expected exactly one of `apply`, `patch`, `delete`");
      } else if (step.delete_().empty()) {
        read_step_object(i, step.patch().empty() ? "apply" : "patch", inputs_.steps.back());
      }
    }
  }

  void read_step_object(int index, const std::string& action, StepObject& object) {
    const std::string path = "steps[" + std::to_string(index) + "]." + action;
    const manifests::YamlNode* node = manifests::find_path(*tree_, path);
    manifests::ManifestFile file;
    manifests::read_objects(*node, file_.string(),
                            {.strict = options_.strict, .partial = action == "patch"}, file);
    append(file.diagnostics);
    if (file.objects.size() != 1) {
      if (!manifests::has_errors(file.diagnostics))
        error(path, "expected one object of a kind that is modelled");
      return;
    }
    object.object = Payload(std::move(file.objects.front().object), {});
    object.cleared = std::move(file.objects.front().cleared);
  }

  void read_traces() {
    inputs_.traces.resize(static_cast<std::size_t>(inputs_.scenario.traffic_size()));
    for (int i = 0; i < inputs_.scenario.traffic_size(); ++i) {
      if (inputs_.scenario.traffic(i).has_trace()) read_trace(i);
    }
  }

  void read_trace(int index) {
    Load& load = *inputs_.scenario.mutable_traffic(index);
    const fs::path path = beside(load.trace().file());
    std::error_code ignored;
    if (!load.trace().fallback().empty() && !fs::exists(path, ignored)) {
      result_.notes.push_back("trace " + load.trace().file() + " is not there: traffic '" +
                              load.name() + "' comes from " + load.trace().fallback() + " instead");
      Generator generator;
      append(manifests::load_document(beside(load.trace().fallback()).string(), generator));
      load.clear_trace();
      *load.mutable_generator() = std::move(generator);
      return;
    }
    traffic::TraceOptions options;
    if (load.trace().limit() != 0) options.limit = load.trace().limit();
    if (load.trace().has_time_scale()) options.time_scale = load.trace().time_scale();
    Result<traffic::TraceFile> trace = traffic::read_trace(path, options);
    if (!trace) {
      const std::string where = trace.error().where.empty() ? path.string() : trace.error().where;
      return error("traffic[" + std::to_string(index) + "].trace.file",
                   where + ": " + trace.error().message);
    }
    for (const std::string& note : trace->notes) result_.notes.push_back(note);
    inputs_.traces[static_cast<std::size_t>(index)] = std::move(trace->trace);
  }

  void read_toy() {
    const fs::path path = beside(inputs_.scenario.toy().arrivals());
    const Result<std::vector<Duration>> arrivals = traffic::read_arrivals(path);
    if (!arrivals)
      return error("toy.arrivals", arrivals.error().where + ": " + arrivals.error().message);
    for (const Duration arrival : *arrivals) inputs_.toy_arrivals_ns.push_back(arrival.count());
  }

  void resolve_all() {
    Problems problems;
    result_.plan = resolve(inputs_, problems);
    for (const Problem& problem : problems.all()) {
      if (problem.where.empty()) {
        error(problem.path, problem.message);
      } else {
        error_at(problem.where, problem.message);
      }
    }
  }

  fs::path file_;
  LoadOptions options_;
  LoadedScenario result_;
  YamlRef tree_;  ///< of the scenario, for the lines of its keys
  fs::path topology_;
  YamlRef topology_tree_;
  std::vector<YamlRef> inline_manifests_;
  Inputs inputs_;
};

}  // namespace

LoadedScenario load_scenario(const fs::path& file, const LoadOptions& options) {
  return Loader(file, options).load();
}

manifests::Diagnostics check_topology(const fs::path& file) {
  return Loader(file, {}).load_topology();
}

std::vector<std::string> variant_names(const fs::path& file) {
  std::vector<std::string> names;
  const Result<std::string> text = manifests::read_text_file(file.string());
  if (!text) return names;
  const manifests::YamlFile yaml = manifests::parse_yaml(*text, file.string());
  if (yaml.documents.empty()) return names;
  if (yaml.documents.front()->kind != manifests::YamlNode::Kind::Map) return names;
  const manifests::YamlNode* variants = manifests::find(*yaml.documents.front(), kVariants);
  if (variants == nullptr) return names;
  for (const manifests::YamlEntry& entry : variants->entries) names.push_back(entry.key);
  return names;
}

}  // namespace troupe::config
