#include "emulator/processes/run_log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>

#include "messages/facts.pb.h"

namespace troupe {
namespace {

double seconds(SimTime time) {
  return static_cast<double>(to_ns(time)) / 1e9;
}

/// The turns of a run's story, which a person who skims it looks for.
bool is_turn(const Payload& fact) {
  return fact.as<facts::FaultInjected>() != nullptr || fact.as<facts::FaultHealed>() != nullptr ||
         fact.as<facts::XidReported>() != nullptr || fact.as<facts::HostCrashed>() != nullptr ||
         fact.as<facts::StepRefused>() != nullptr || fact.as<facts::ScalingDecision>() != nullptr ||
         fact.as<facts::NodeClaimCreated>() != nullptr ||
         fact.as<facts::NodeClaimDeleted>() != nullptr ||
         fact.as<facts::InstanceLaunched>() != nullptr ||
         fact.as<facts::InstanceTerminated>() != nullptr ||
         fact.as<facts::InstanceInterrupted>() != nullptr ||
         fact.as<facts::LaunchFailed>() != nullptr || fact.as<facts::GpuFaulted>() != nullptr;
}

}  // namespace

Result<RunLog> RunLog::create(const std::filesystem::path& file, LogLevel level) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(file.string());
    auto logger = std::make_shared<spdlog::logger>("run", std::move(sink));
    logger->set_level(level == LogLevel::Debug ? spdlog::level::debug : spdlog::level::info);
    logger->set_pattern("%l %v");  // virtual time stands in the line
    logger->flush_on(spdlog::level::info);
    return RunLog(file, std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return fail(error.what(), file.string());
  }
}

RunLog::RunLog(std::filesystem::path file, std::shared_ptr<spdlog::logger> logger)
    : file_(std::move(file)),
      logger_(std::move(logger)),
      failure_(std::make_shared<std::string>()) {
  logger_->set_error_handler([failure = failure_](const std::string& what) {
    if (failure->empty()) *failure = what;
  });
}

void RunLog::begin(const plan::RunPlan& plan) {
  const std::string variant = plan.variant().empty() ? "" : ", variant " + plan.variant();
  logger_->info("{}{}: seed {}, {} hosts, {} virtual seconds", plan.scenario(), variant,
                plan.seed(), plan.hosts_size(), seconds(from_ns(plan.duration_ns())));
}

void RunLog::on_fact(const FactRecord& record) {
  const auto level = is_turn(record.fact) ? spdlog::level::info : spdlog::level::debug;
  if (!logger_->should_log(level)) return;
  logger_->log(level, "{:.6f} {} {} {}", seconds(record.key.time), record.actor,
               record.fact.type_name(), record.fact.message().ShortDebugString());
}

Result<void> RunLog::end(const RunFacts& run, const std::optional<Defect>& defect) {
  if (defect) {
    logger_->error("{:.6f} {} failed on {}: {}", seconds(defect->time), defect->actor,
                   defect->message, defect->what);
  }
  logger_->info("end: {} messages, digest {}", run.messages_delivered, run.digest);
  logger_->flush();
  if (!failure_->empty()) return fail("could not be written whole: " + *failure_, file_.string());
  return {};
}

}  // namespace troupe
