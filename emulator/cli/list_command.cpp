// `troupe list`: what there is, a line each.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "emulator/checks/invariants.h"
#include "emulator/cli/commands.h"
#include "emulator/cli/exit_code.h"
#include "emulator/config/fault_kinds.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::cli {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<std::string>>;

// The first line of comment of a file.
std::string first_comment(const std::string& text) {
  if (!text.starts_with("# ")) return "";
  return text.substr(2, text.find('\n') - 2);
}

std::string text_at(const manifests::YamlNode& document, std::string_view key) {
  const manifests::YamlNode* node = manifests::find(document, key);
  return node == nullptr ? "" : node->text;
}

// Every YAML file below `folder` whose first document is of that kind, with a line about it.
Rows files_of_kind(const fs::path& folder, const std::string& kind) {
  std::vector<fs::path> files;
  // A folder that is not there or not readable holds nothing.
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  Rows rows;
  for (const fs::path& file : files) {
    const Result<std::string> text = manifests::read_text_file(file.string());
    if (!text) continue;
    const manifests::YamlFile yaml = manifests::parse_yaml(*text, file.string());
    if (yaml.documents.empty()) continue;
    if (manifests::header_of(*yaml.documents.front()).kind != kind) continue;
    const std::string question = text_at(*yaml.documents.front(), "question");
    rows.push_back({file.string(), question.empty() ? first_comment(*text) : question});
  }
  return rows;
}

Rows faults() {
  Rows rows;
  for (const config::FaultKind& kind : config::all_fault_kinds()) {
    rows.push_back({std::string(kind.key), std::string(kind.sentence)});
  }
  return rows;
}

Rows invariants() {
  Rows rows;
  for (const auto& row : checks::all_invariants()) {
    rows.push_back({std::string(row.name), std::string(row.sentence)});
  }
  return rows;
}

void print_rows(const std::string& title, const Rows& rows) {
  std::cout << title << ":\n";
  if (rows.empty()) std::cout << "  none in ./" << title << "\n";
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row[0].size());
  for (const auto& row : rows) {
    std::cout << "  " << row[0] << std::string(width - row[0].size() + 2, ' ') << row[1] << "\n";
  }
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
  auto what = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("list", "list scenarios, topologies, faults and invariants, a line each");
  command
      ->add_option("WHAT", *what, "scenarios, topologies, faults or invariants; all unless given")
      ->check(CLI::IsMember({"scenarios", "topologies", "faults", "invariants"}));
  command->callback([what, &exit_code] {
    const auto wanted = [&what](const char* name) { return what->empty() || *what == name; };
    if (wanted("scenarios")) print_rows("scenarios", files_of_kind("scenarios", "Scenario"));
    if (wanted("topologies")) print_rows("topologies", files_of_kind("topologies", "Topology"));
    if (wanted("faults")) print_rows("faults", faults());
    if (wanted("invariants")) print_rows("invariants", invariants());
    exit_code = kHeld;
  });
}

}  // namespace troupe::cli
