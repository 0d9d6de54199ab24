// `troupe check FILE...`: parse, validate, resolve; run nothing.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/cli/load_or_report.h"
#include "emulator/config/manifest_checks.h"
#include "emulator/conformance/case_loader.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/manifest_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"
#include "emulator/traffic/trace_reader.h"
#include "messages/scenario.pb.h"
#include "messages/serving.pb.h"
#include "messages/topology.pb.h"

namespace troupe::cli {
namespace {

struct CheckArguments {
  std::vector<std::string> files;
  bool strict = false;
  bool live = false;
};

void print(const manifests::Diagnostics& diagnostics) {
  for (const auto& diagnostic : diagnostics) std::cerr << manifests::to_string(diagnostic) << '\n';
}

bool is_trace(const std::filesystem::path& file) {
  return file.extension() == ".csv" || file.extension() == ".jsonl";
}

bool check_trace(const std::string& file) {
  const Result<traffic::TraceFile> trace = traffic::read_trace(file);
  if (trace) {
    for (const std::string& note : trace->notes) std::cerr << "note: " << note << '\n';
    std::cout << file << ": a trace in " << trace->format << "'s format, " << trace->rows
              << " rows\n";
    return true;
  }
  // A file of arrivals alone is no request trace, and all that some generators need.
  if (const auto arrivals = traffic::read_arrivals(file)) {
    std::cout << file << ": " << arrivals->size() << " arrival times\n";
    return true;
  }
  std::cerr << (trace.error().where.empty() ? file : trace.error().where)
            << ": error: " << trace.error().message << '\n';
  return false;
}

// A scenario is resolved as it is and as each of its variants.
bool check_scenario(const std::string& file, const CheckArguments& how) {
  std::vector<std::string> variants = config::variant_names(file);
  variants.insert(variants.begin(), "");
  for (const std::string& variant : variants) {
    const auto plan =
        load_or_report(file, {.variant = variant, .strict = how.strict, .live = how.live});
    if (!plan) return false;
  }
  std::cout << file << ": a scenario";
  if (variants.size() > 1) std::cout << " with " << variants.size() - 1 << " variants";
  std::cout << '\n';
  return true;
}

bool check_cases(const std::string& file) {
  const conformance::LoadedCases loaded = conformance::load_cases(file);
  print(loaded.diagnostics);
  if (!loaded.ok()) return false;
  std::cout << file << ": " << loaded.cases.size() << " conformance case"
            << (loaded.cases.size() == 1 ? "" : "s") << '\n';
  return true;
}

template <class Document>
bool check_document(const std::string& file, const char* what) {
  Document document;
  const manifests::Diagnostics diagnostics = manifests::load_document(file, document);
  print(diagnostics);
  if (manifests::has_errors(diagnostics)) return false;
  std::cout << file << ": " << what << '\n';
  return true;
}

bool check_topology(const std::string& file) {
  const manifests::Diagnostics diagnostics = config::check_topology(file);
  print(diagnostics);
  if (manifests::has_errors(diagnostics)) return false;
  std::cout << file << ": a topology\n";
  return true;
}

bool check_manifests(const std::string& file, bool strict) {
  manifests::ManifestFile manifests = manifests::load_manifests(file, {.strict = strict});
  print(manifests.diagnostics);
  if (manifests::has_errors(manifests.diagnostics)) return false;
  const std::vector<config::ManifestObject> objects =
      config::objects_of(std::move(manifests.objects));
  config::Problems problems;
  config::check_manifests(objects, problems);
  for (const config::Problem& problem : problems.all()) {
    std::cerr << problem.where << ": error: " << problem.message << '\n';
  }
  if (!problems.empty()) return false;
  std::cout << file << ": " << objects.size() << (objects.size() == 1 ? " object\n" : " objects\n");
  return true;
}

bool check_file(const std::string& file, const CheckArguments& how) {
  if (is_trace(file)) return check_trace(file);
  const Result<std::string> text = manifests::read_text_file(file);
  if (!text) {
    std::cerr << file << ": error: " << text.error().message << '\n';
    return false;
  }
  const manifests::YamlFile yaml = manifests::parse_yaml(*text, file);
  const std::string kind =
      yaml.documents.empty() ? "" : manifests::header_of(*yaml.documents.front()).kind;
  if (kind == "Scenario") return check_scenario(file, how);
  if (kind == conformance::kCaseKind) return check_cases(file);
  if (kind == "Topology") return check_topology(file);
  if (kind == "InstanceTypeCatalogue") {
    return check_document<config::InstanceTypeCatalogue>(file, "a catalogue of instance types");
  }
  if (kind == "ModelCatalogue") {
    return check_document<serving::ModelCatalogue>(file, "a catalogue of models");
  }
  if (kind == "GpuCatalogue")
    return check_document<serving::GpuCatalogue>(file, "a catalogue of GPUs");
  return check_manifests(file, how.strict);
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check",
      "read scenarios, conformance cases, topologies, manifests and traces; say what is wrong; "
      "run nothing");
  command->add_option("FILE", arguments->files, "files to check")->required();
  command->add_flag("--strict", arguments->strict, "warnings are errors");
  command->add_flag("--live", arguments->live,
                    "of scenarios: as for a live run, whose processes faults may name");
  command->callback([arguments, &exit_code] {
    for (const std::string& file : arguments->files) {
      if (!check_file(file, *arguments)) exit_code = kBadInput;
    }
  });
}

}  // namespace troupe::cli
