#include "emulator/conformance/case_loader.h"

#include <algorithm>
#include <utility>

#include "emulator/conformance/sync_check.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::conformance {
namespace {

namespace fs = std::filesystem;
using manifests::Diagnostics;
using manifests::JsonTree;
using manifests::YamlNode;

constexpr const char* kApiVersion = "troupe/v1";
constexpr const char* kKaiProfile = "0.13";

std::string listed(const auto& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// A message does not tell an empty list from none; what a case expects does.
void add_empty_lists(const YamlNode& node, JsonTree& tree) {
  for (const manifests::YamlEntry& entry : node.entries) {
    const YamlNode& value = *entry.value;
    if (value.kind == YamlNode::Kind::List && value.items.empty()) {
      tree[entry.key] = JsonTree::array();
    } else if (value.kind == YamlNode::Kind::Map && tree.contains(entry.key)) {
      add_empty_lists(value, tree[entry.key]);
    }
  }
}

bool expects_something(const JsonTree& expected) {
  return !expected.is_object() || std::any_of(expected.begin(), expected.end(), expects_something);
}

// Reads one document.
class CaseReader {
 public:
  CaseReader(const YamlNode& document, std::string file, LoadedCases& result)
      : document_(document), file_(std::move(file)), result_(result) {}

  void read() {
    if (!check_header()) return;
    case_.where = file_ + ":" + std::to_string(document_.line);
    append(manifests::read_tree(document_, file_, case_.spec));
    if (!failed_ && check_parts()) {
      if (case_.spec.has_unit()) {
        read_unit();
      } else {
        check_profile({kKaiProfile});
        check_sync_case(case_.spec, problems_);
      }
      for (const config::Problem& problem : problems_.all()) error(problem.path, problem.message);
    }
    if (!failed_) result_.cases.push_back(std::move(case_));
  }

 private:
  void append(Diagnostics diagnostics) {
    failed_ = failed_ || manifests::has_errors(diagnostics);
    for (auto& one : diagnostics) result_.diagnostics.push_back(std::move(one));
  }
  void error(const std::string& path, const std::string& message) {
    append({{file_, manifests::line_of(document_, path), path, message}});
  }

  bool check_header() {
    const manifests::DocumentHeader header = manifests::header_of(document_);
    const bool right = document_.kind == YamlNode::Kind::Map && header.kind == kCaseKind &&
                       header.api_version == kApiVersion;
    if (!right)
      error("", "expected a document with `apiVersion: troupe/v1`, `kind: ConformanceCase`");
    return right;
  }

  bool check_parts() {
    const config::ConformanceCase& spec = case_.spec;
    if (spec.has_mode() == spec.has_unit()) {
      error("", "expected exactly one of `mode` and `unit`");
    } else if (spec.has_unit()) {
      if (spec.has_given()) error("given", "a unit case has its `input`");
      if (!spec.expect().empty()) error("expect", "a unit case has its `output`");
      if (spec.has_max()) error("max", "a unit case makes no calls");
    }
    return !failed_;
  }

  void check_profile(const std::vector<std::string>& known) {
    const std::string& profile = case_.spec.profile();
    if (profile.empty() || std::find(known.begin(), known.end(), profile) != known.end()) return;
    problems_.add("profile", "found '" + profile + "', expected one of " + listed(known));
  }

  void read_unit() {
    const UnitComponent* component = find_unit_component(case_.spec.unit().component());
    if (component == nullptr) {
      std::vector<std::string_view> names;
      for (const UnitComponent& one : unit_components()) names.push_back(one.name);
      return problems_.add("unit.component", "found '" + case_.spec.unit().component() +
                                                 "', expected one of " + listed(names));
    }
    check_profile(component->profiles);
    const auto input = read_part("unit.input", *component->input);
    const auto output = read_part("unit.output", *component->output);
    if (failed_) return;
    config::Problems problems;
    component->check(*input, problems);
    for (const config::Problem& problem : problems.all()) {
      problems_.add("unit.input." + problem.path, problem.message);
    }
    JsonTree expected = manifests::json_tree(*output);
    add_empty_lists(*manifests::find_path(document_, "unit.output"), expected);
    if (!expects_something(expected)) problems_.add("unit.output", "expected something to expect");
    case_.unit = UnitCall{component, input, output, std::move(expected)};
  }

  std::shared_ptr<google::protobuf::Message> read_part(const std::string& path,
                                                       const google::protobuf::Message& type) {
    std::shared_ptr<google::protobuf::Message> part(type.New());
    append(manifests::read_tree(*manifests::find_path(document_, path), file_, *part, path));
    return part;
  }

  const YamlNode& document_;
  std::string file_;
  LoadedCases& result_;
  bool failed_ = false;
  Case case_;
  config::Problems problems_;
};

void load_file(const fs::path& file, LoadedCases& result) {
  const Result<std::string> text = manifests::read_text_file(file.string());
  if (!text) {
    result.diagnostics.push_back({file.string(), 0, "", text.error().message});
    return;
  }
  const manifests::YamlFile yaml = manifests::parse_yaml(*text, file.string());
  for (const auto& one : yaml.diagnostics) result.diagnostics.push_back(one);
  if (manifests::has_errors(yaml.diagnostics)) return;
  if (yaml.documents.empty()) {
    result.diagnostics.push_back(
        {file.string(), 0, "", "the file is empty: expected a document of kind ConformanceCase"});
  }
  for (const manifests::YamlRef& document : yaml.documents) {
    CaseReader(*document, file.string(), result).read();
  }
}

}  // namespace

LoadedCases load_cases(const fs::path& file_or_folder) {
  LoadedCases result;
  std::error_code error;
  if (!fs::is_directory(file_or_folder, error)) {
    load_file(file_or_folder, result);
    return result;
  }
  std::vector<fs::path> files;
  fs::recursive_directory_iterator entry(file_or_folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const fs::path extension = entry->path().extension();
    if (extension == ".yaml" || extension == ".yml") files.push_back(entry->path());
  }
  if (error) {  // some of the cases are not all of them
    result.diagnostics.push_back(
        {file_or_folder.string(), 0, "", "the folder cannot be read: " + error.message()});
    return result;
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) load_file(file, result);
  if (files.empty()) {
    result.diagnostics.push_back(
        {file_or_folder.string(), 0, "", "expected a folder with YAML files"});
  }
  return result;
}

}  // namespace troupe::conformance
