// The API server of a replica: requests come in by message, tokens go out, and the engine inside
// advances by timer.
//
// It is vLLM's OpenAI server and its engine process in one: it knows who asked for what, tells the
// GPUs when kernels run, and reports the gaps between tokens. Whether it may be asked at all is the
// replica's affair (replica_actor.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/serving/engine.h"
#include "actors/serving/work_signals.h"
#include "messages/facts.pb.h"
#include "messages/serving.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::serving {

class EngineServer {
 public:
  /// A busy engine reports its steps at least this often; one that falls idle at once.
  static constexpr Duration kReportPeriod = std::chrono::seconds(10);

  EngineServer(const EngineConfig& config, std::string model, std::string pod_uid,
               WorkSignals& signals)
      : engine_(config),
        model_(std::move(model)),
        pod_uid_(std::move(pod_uid)),
        signals_(signals) {}

  void infer(Context& context, const Delivery& delivery, const InferRequest& request);
  void cancel(Context& context, const Address& client, std::uint64_t request_id);
  /// What was sent to a client came back: the client is gone, and its request with it.
  void undeliverable(Context& context, const Delivery& refusal);
  /// The GPUs run at another pace.
  void set_pace(Context& context, std::uint32_t permille);
  /// The timer of the engine fired.
  void due(Context& context);
  void scrape(Context& context, const Delivery& delivery, const telemetry::ScrapeRequest& request);
  /// Resets every open connection.
  void reset_all(Context& context, const std::string& reason);
  /// Ends the work: no timer, no kernel, nothing left to report.
  void shut_down(Context& context);

  [[nodiscard]] bool idle() const { return clients_.empty(); }
  [[nodiscard]] const Engine& engine() const { return engine_; }

 private:
  struct Client {
    Address address;
    std::uint64_t request_id = 0;
    std::uint64_t trace = 0;
  };
  using ClientKey = std::pair<Address, std::uint64_t>;  // one life of a client, and its request id

  void give(Context& context, const EngineOutput& output);
  void finish(Context& context, const Client& client, InferDone done);
  void update(Context& context);
  void report_steps(Context& context);

  Engine engine_;
  std::string model_;
  std::string pod_uid_;
  WorkSignals& signals_;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, Client> clients_;  // by the engine's id
  std::map<ClientKey, std::uint64_t> ids_;   // the engine's id of a client's request
  TimerId timer_ = 0;
  std::optional<SimTime> timer_due_;
  SimTime reported_at_ = kTimeZero;
  facts::StepsRun reported_;  // totals as of the last report
};

}  // namespace troupe::serving
