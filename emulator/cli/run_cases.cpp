#include "emulator/cli/run_cases.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "emulator/cli/exit_code.h"
#include "emulator/conformance/case_loader.h"
#include "emulator/conformance/run_case.h"
#include "emulator/manifests/document_reader.h"
#include "emulator/manifests/text_file.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::cli {
namespace {

using conformance::Case;
using conformance::Difference;
using conformance::Differences;
using nlohmann::ordered_json;

void print(const Case& one, const Differences& differences) {
  std::cout << (differences.empty() ? "pass  " : "FAIL  ") << one.spec.case_() << "  "
            << (one.spec.title().empty() ? one.where : one.spec.title()) << '\n';
  for (const Difference& difference : differences) {
    std::cout << "      " << conformance::to_string(difference) << '\n';
  }
  if (!differences.empty()) std::cout << "      at " << one.where << '\n';
}

ordered_json outcome_of(const Case& one, const Differences& differences) {
  ordered_json outcome = {{"case", one.spec.case_()},
                          {"title", one.spec.title()},
                          {"where", one.where},
                          {"pass", differences.empty()},
                          {"differences", ordered_json::array()}};
  for (const Difference& difference : differences) {
    outcome["differences"].push_back({{"what", difference.what},
                                      {"observed", difference.observed},
                                      {"expected", difference.expected}});
  }
  return outcome;
}

}  // namespace

bool holds_cases(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return true;
  const Result<std::string> text = manifests::read_text_file(file.string());
  if (!text) return false;
  const manifests::YamlFile yaml = manifests::parse_yaml(*text, file.string());
  return !yaml.documents.empty() &&
         manifests::header_of(*yaml.documents.front()).kind == conformance::kCaseKind;
}

int run_cases(const std::filesystem::path& file_or_folder, bool json) {
  const conformance::LoadedCases loaded = conformance::load_cases(file_or_folder);
  for (const auto& diagnostic : loaded.diagnostics) {
    std::cerr << manifests::to_string(diagnostic) << '\n';
  }
  if (!loaded.ok()) return kBadInput;
  std::size_t failed = 0;
  ordered_json outcomes = ordered_json::array();
  for (const Case& one : loaded.cases) {
    const Differences differences = conformance::run_case(one);
    failed += differences.empty() ? 0 : 1;
    if (json) {
      outcomes.push_back(outcome_of(one, differences));
    } else {
      print(one, differences);
    }
  }
  const std::size_t passed = loaded.cases.size() - failed;
  if (json) {
    const ordered_json summary = {{"passed", passed}, {"failed", failed}, {"cases", outcomes}};
    // A file's name, in `where`, may be of any bytes.
    std::cout << summary.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  } else {
    std::cout << passed << " passed, " << failed << " failed\n";
  }
  return failed == 0 ? kHeld : kNotHeld;
}

}  // namespace troupe::cli
