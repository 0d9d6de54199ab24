#include "emulator/cli/print_summary.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "emulator/report/gpu_account.h"

namespace troupe::cli {
namespace {

using nlohmann::json;

std::string count(const json& value) {
  return std::to_string(value.get<std::uint64_t>());
}

void print_requests(std::ostream& out, const json& summary) {
  const json& r = summary["requests"];
  if (r["total"] == 0) return;
  out << "requests     " << count(r["total"]) << ": " << count(r["completed"]) << " completed, "
      << count(r["timed_out"]) << " timed out, " << count(r["rejected"]) << " rejected, "
      << count(r["failed"]) << " failed, " << count(r["unfinished"]) << " unfinished; "
      << count(r["within_slo"]) << " within SLO\n";
  for (const char* metric : {"ttft", "itl", "e2e"}) {
    const json& p = summary[std::string(metric) + "_ms"];
    out << metric << (std::string(metric).size() == 3 ? "          " : "         ") << "p50 "
        << number(p["p50"], 1) << " ms, p90 " << number(p["p90"], 1) << " ms, p99 "
        << number(p["p99"], 1) << " ms\n";
  }
  const json& cache = summary["prefix_cache"];
  if (cache["hits"] != 0) {
    out << "prefix cache " << count(cache["hits"]) << " of " << count(cache["queries"])
        << " prompt tokens hit\n";
  }
}

void print_gpus(std::ostream& out, const json& summary) {
  const json& m = summary["gpu_minutes"];
  if (m["provisioned"] == 0) return;
  out << "GPU-minutes  " << number(m["provisioned"], 1) << " provisioned:";
  const char* separator = " ";
  for (const std::string_view name : kGpuClassNames) {
    if (m[name].get<double>() < 0.05) continue;  // would read 0.0
    out << separator << number(m[name], 1) << " " << name;
    separator = ", ";
  }
  out << " (idle " << number(m["idle"], 1) << ")\n";
}

// How far the processes could run on without hearing of each other, and how often they met.
void print_live(std::ostream& out, const json& live) {
  out << "live, speed " << number(live["speed"], 2) << "; lateness p50/p99 ms:";
  for (const auto& [name, one] : live["lateness_ms"].items()) {
    out << " " << name << " " << number(one["p50"], 3) << "/" << number(one["p99"], 3);
  }
  out << "\n";
  if (live["worker_deaths"] != 0) {
    out << count(live["worker_deaths"]) << " workers died and were replaced\n";
  }
  for (const json& name : live["late"]) {
    out << "warning: " << name.get<std::string>()
        << " is late: its 99th percentile is above a tenth of its median latency; a lower --speed "
           "helps\n";
  }
}

void print_processes(std::ostream& out, const json& summary) {
  if (!summary["live"].is_null()) {
    if (summary["processes"] != 1) out << count(summary["processes"]) << " processes\n";
    return print_live(out, summary["live"]);
  }
  if (summary["processes"] == 1) return;
  const double seconds = summary["virtual_seconds"];
  out << count(summary["processes"]) << " processes, ";
  if (summary["lookahead_ms"].is_null()) {
    out << "no message between them";
  } else {
    out << "lookahead " << number(summary["lookahead_ms"], 3) << " ms";
  }
  out << ", " << count(summary["windows"]) << " windows, "
      << number(seconds > 0 ? summary["windows"].get<double>() / seconds : 0, 1)
      << " a virtual second\n";
}

// What tried to take part and was not let in. Nothing is said of nothing.
void print_refused(std::ostream& out, const json& summary) {
  const json& transport = summary["transport"];
  if (transport.is_null()) return;
  std::string line;
  if (transport["refused_peers"] != 0) {
    line = count(transport["refused_peers"]) + " connections without the keys of the run";
  }
  for (const auto& [why, frames] : transport["refused_frames"].items()) {
    if (frames == 0) continue;
    std::string words = why;
    std::replace(words.begin(), words.end(), '_', ' ');
    line += (line.empty() ? "" : ", ") + count(frames) + " frames: " + words;
  }
  if (!line.empty()) out << "refused      " << line << "\n";
}

// A few of the pods that found no node, and what their scheduler last said.
void print_unschedulable(std::ostream& out, const json& pods) {
  constexpr std::size_t kShown = 3;
  std::size_t shown = 0;
  for (const auto& [pod, why] : pods.items()) {
    if (shown++ == kShown) break;
    out << "no node      " << pod << ": " << why.get<std::string>() << "\n";
  }
  if (pods.size() > kShown) {
    out << "no node      and " << pods.size() - kShown
        << " more: `unschedulable` in summary.json\n";
  }
}

void print_cluster(std::ostream& out, const json& summary) {
  const json& pods = summary["pods"];
  const json& nodes = summary["nodes"];
  if (pods["created"] != 0) {
    out << "pods         " << count(pods["created"]) << " created, " << count(pods["scheduled"])
        << " scheduled, " << count(pods["running"]) << " ran, " << count(pods["evicted"])
        << " evicted, " << count(pods["failed"]) << " failed\n";
  }
  print_unschedulable(out, summary["unschedulable"]);
  out << "nodes        " << count(nodes["initial"]) << " at the start, " << count(nodes["launched"])
      << " launched, " << count(nodes["terminated"]) << " terminated, "
      << count(nodes["interrupted"]) << " interrupted\n";
  const json& gangs = summary["gangs"];
  if (gangs["admitted"] != 0 || gangs["waiting"] != 0) {
    out << "gangs        " << count(gangs["admitted"]) << " admitted, " << count(gangs["waiting"])
        << " waiting, " << number(gangs["partial_seconds"], 1) << " s partial\n";
  }
  for (const auto& [name, a] : summary["autoscalers"].items()) {
    out << "autoscaler   " << name << ": " << count(a["decisions"]) << " decisions, "
        << count(a["scale_ups"]) << " up, " << count(a["scale_downs"]) << " down\n";
  }
  for (const auto& [kind, times] : summary["faults"].items()) {
    out << "fault        " << kind << " x" << count(times) << "\n";
  }
  if (summary["cost_usd"] != 0) {
    out << "cost         $" << number(summary["cost_usd"], 2) << ", $"
        << number(summary["usd_per_1000_good_requests"], 3) << " per 1000 good requests\n";
  }
  if (!summary["score"].is_null())
    out << "score        " << number(summary["score"], 1) << " of 100\n";
  for (const json& pair : summary["extrapolated"]) {
    out << "extrapolated " << pair.get<std::string>()
        << ": no measured table backs its constants\n";
  }
}

void print_violations(std::ostream& out, const json& summary) {
  for (const auto& [name, outcome] : summary["invariants"].items()) {
    if (outcome["violations"] == 0) continue;
    out << "VIOLATED     " << name << " x" << count(outcome["violations"]) << ", first "
        << outcome["first"].get<std::string>() << "\n";
  }
}

void print_expectation(std::ostream& out, const json& e) {
  out << (e["pass"].get<bool>() ? "pass         " : "FAIL         ") << e["name"].get<std::string>()
      << ": " << e["observed"].get<std::string>() << ", expected "
      << e["expected"].get<std::string>() << "\n";
}

}  // namespace

void print_summary(std::ostream& out, const json& summary) {
  out << summary["scenario"].get<std::string>();
  if (summary["variant"] != "") out << ", variant " << summary["variant"].get<std::string>();
  out << ": " << summary["question"].get<std::string>() << "\n\n";
  print_requests(out, summary);
  print_gpus(out, summary);
  print_cluster(out, summary);
  print_violations(out, summary);
  for (const json& expectation : summary["expectations"]) print_expectation(out, expectation);
  if (summary["interrupted"].get<bool>()) out << "interrupted: this is how far it came\n";
  out << "\n"
      << number(summary["virtual_seconds"], 0) << " virtual seconds in "
      << number(summary["wall_seconds"], 2) << " s, " << count(summary["messages_delivered"])
      << " messages\n";
  print_processes(out, summary);
  print_refused(out, summary);
}

void print_failed_checks(std::ostream& out, const json& summary) {
  print_violations(out, summary);
  for (const json& expectation : summary["expectations"]) {
    if (!expectation["pass"].get<bool>()) print_expectation(out, expectation);
  }
}

void print_defect(std::ostream& out, const Defect& defect, const std::string& replay) {
  out << "troupe: defect at " << static_cast<double>(to_ns(defect.time)) / 1e9 << " s: actor "
      << defect.actor << ", message " << defect.message << ": " << defect.what
      << "\nagain: " << replay << '\n';
}

void print_score_rates(std::ostream& out, const plan::RunPlan& plan) {
  for (const plan::ScoreRate& rate : plan.score_rates()) {
    out << "score of " << rate.service() << ": against " << rate.model() << " on " << rate.gpu()
        << " x" << rate.tensor_parallel() << " at batch " << rate.batch() << ", "
        << number(rate.prompt_gpu_seconds() * 1e6, 1) << " GPU-us a prompt token, "
        << number(rate.output_gpu_seconds() * 1e6, 1) << " an output token (means "
        << number(rate.mean_prompt_tokens(), 0) << " and " << number(rate.mean_output_tokens(), 0)
        << " tokens)\n";
  }
}

void print_table(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.empty() ? 0 : rows.front().size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - row[i].size(), ' ');
      // Names to the left, numbers to the right.
      line += i == 0 ? row[i] + gap : "  " + gap + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

std::string number(const json& value, int decimals) {
  if (value.is_null()) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value.get<double>());
  return text;
}

}  // namespace troupe::cli
