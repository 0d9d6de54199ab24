#include "emulator/cli/print_comparison.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/cli/print_summary.h"

namespace troupe::cli {
namespace {

using nlohmann::json;

struct Row {
  const json* summary;
  bool meets_slo = false;
};

// A scenario that is compared without variants goes by its own name.
std::string name_of(const json& summary) {
  const auto variant = summary["variant"].get<std::string>();
  return variant.empty() ? summary["scenario"].get<std::string>() : variant;
}

// Of no requests none missed its objective.
double share_of(const json& summary) {
  const json& share = summary["share_within_slo"];
  return share.is_null() ? 1 : share.get<double>();
}

std::string share_text(const json& summary) {
  return summary["share_within_slo"].is_null() ? "-" : number(share_of(summary) * 100, 1) + " %";
}

std::uint64_t unserved(const json& summary) {
  const json& r = summary["requests"];
  return r["total"].get<std::uint64_t>() - r["completed"].get<std::uint64_t>();
}

std::vector<Row> ranked(const plan::RunPlan& plan, const json& summaries) {
  const double target = static_cast<double>(plan.slo().target_share_ppm()) / 1e6;
  std::vector<Row> rows;
  for (const json& summary : summaries) rows.push_back({&summary, share_of(summary) >= target});
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.meets_slo != b.meets_slo) return a.meets_slo;
    if (!a.meets_slo) return share_of(*a.summary) > share_of(*b.summary);
    return (*a.summary)["cost_usd"].get<double>() < (*b.summary)["cost_usd"].get<double>();
  });
  return rows;
}

void print_ranking(std::ostream& out, const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table = {{"variant", "unserved", "within SLO", "TTFT p99 s",
                                                  "idle GPU-min", "stranded", "loading", "cost $",
                                                  "score", ""}};
  for (const Row& row : rows) {
    const json& s = *row.summary;
    const json& gpu = s["gpu_minutes"];
    const json& p99 = s["ttft_ms"]["p99"];
    table.push_back({name_of(s), std::to_string(unserved(s)), share_text(s),
                     p99.is_null() ? "-" : number(p99.get<double>() / 1000, 2),
                     number(gpu["idle"], 1), number(gpu["stranded"], 1), number(gpu["loading"], 1),
                     number(s["cost_usd"], 2), number(s["score"], 1),
                     row.meets_slo ? "" : "misses SLO"});
  }
  print_table(out, table);
}

std::string times(std::uint64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

// When a variant's autoscalers first asked for more, how far they went, on what they said.
std::string scaling_story(const json& summary) {
  std::string story;
  for (const auto& [name, a] : summary["autoscalers"].items()) {
    if (!story.empty()) story += "; ";
    if (a["first_scale_up_s"].is_null()) {
      story += "its autoscaler never asked for more";
      continue;
    }
    story += "it first asked for more at " + number(a["first_scale_up_s"], 0) + " s (" +
             a["first_signal"].get<std::string>() + "), for " +
             std::to_string(a["peak"].get<std::int64_t>()) + " replicas at " +
             number(a["peak_s"], 0) + " s";
    const auto downs = a["scale_downs"].get<std::uint64_t>();
    story += downs == 0 ? ", and never for fewer" : ", and " + times(downs) + " for fewer";
  }
  return story.empty() ? "" : story + "; ";
}

std::string cache_story(const json& summary) {
  const json& cache = summary["prefix_cache"];
  if (cache["hits"] == 0) return "";
  const double share = cache["hits"].get<double>() / cache["queries"].get<double>();
  return "; its prefix caches held " + number(share * 100, 0) + " % of the prompt tokens";
}

void print_reasons(std::ostream& out, const std::vector<Row>& rows) {
  out << "\nWhy they differ: ";
  const char* separator = "";
  for (const Row& row : rows) {
    const json& s = *row.summary;
    const json& gpu = s["gpu_minutes"];
    out << separator << name_of(s) << ": " << scaling_story(s) << "of "
        << number(gpu["provisioned"], 0) << " GPU-minutes " << number(gpu["busy"], 0) << " worked, "
        << number(gpu["loading"], 0) << " loaded, " << number(gpu["booting"], 0) << " booted, "
        << number(gpu["stranded"], 0) << " waited for the rest of a gang and "
        << number(gpu["idle"], 0) << " idled" << cache_story(s) << ".";
    separator = " ";
  }
  out << '\n';
}

}  // namespace

void print_comparison(std::ostream& out, const plan::RunPlan& plan, const json& summaries) {
  out << plan.scenario() << ": " << plan.question() << "\n\n";
  const std::vector<Row> rows = ranked(plan, summaries);
  print_ranking(out, rows);
  print_reasons(out, rows);
  out << '\n';
  print_score_rates(out, plan);
  for (const json& s : summaries) {
    out << name_of(s) << ": seed " << s["seed"] << ", digest " << s["digest"].get<std::string>()
        << ", " << number(s["wall_seconds"], 2) << " s\n";
    print_failed_checks(out, s);
  }
}

}  // namespace troupe::cli
