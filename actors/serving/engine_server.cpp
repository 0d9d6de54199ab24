#include "actors/serving/engine_server.h"

#include <algorithm>

#include "actors/serving/vllm_metrics.h"

namespace troupe::serving {
namespace {

constexpr std::uint32_t kOk = 200;
constexpr std::uint32_t kBadRequest = 400;

Via reply_via(std::uint64_t trace, std::uint64_t request_id) {
  return {.link = Link::DataPlane, .object = trace, .version = request_id};
}

EngineRequest engine_request(std::uint64_t id, const InferRequest& request) {
  EngineRequest inside;
  inside.id = id;
  inside.prompt_tokens = std::max<std::int64_t>(1, request.prompt_tokens());
  inside.output_tokens = std::max<std::int64_t>(1, request.output_tokens());
  inside.max_tokens = request.max_tokens();
  std::int64_t room = inside.prompt_tokens;
  for (const PromptSegment& segment : request.prompt()) {
    const std::int64_t tokens = std::min<std::int64_t>(room, segment.tokens());
    inside.prompt.push_back({segment.content(), tokens});
    room -= tokens;
  }
  return inside;
}

}  // namespace

void EngineServer::infer(Context& context, const Delivery& delivery, const InferRequest& request) {
  const ClientKey key{delivery.sender, request.request_id()};
  if (ids_.contains(key)) return;  // a client names its requests once
  const Client client{delivery.sender, request.request_id(), request.trace()};
  const std::uint64_t id = ++last_id_;
  if (!engine_.submit(context.now(), engine_request(id, request))) {
    InferDone done;
    done.set_outcome(InferDone::REJECTED);
    done.set_code(kBadRequest);
    done.set_reason("longer than the model's maximum context length");
    finish(context, client, std::move(done));
    return;
  }
  clients_[id] = client;
  ids_[key] = id;
  update(context);
}

void EngineServer::cancel(Context& context, const Address& client, std::uint64_t request_id) {
  const auto found = ids_.find({client, request_id});
  if (found == ids_.end()) return;
  engine_.cancel(context.now(), found->second);
  clients_.erase(found->second);
  ids_.erase(found);
  update(context);
}

void EngineServer::undeliverable(Context& context, const Delivery& refusal) {
  const auto* token = refusal.payload.attachments()[0].as<FirstToken>();
  if (token != nullptr) cancel(context, refusal.sender, token->request_id());
}

void EngineServer::set_pace(Context& context, std::uint32_t permille) {
  engine_.set_pace(context.now(), permille);
  update(context);
}

void EngineServer::due(Context& context) {
  timer_ = 0;
  timer_due_.reset();
  std::vector<EngineOutput> outputs;
  engine_.advance(context.now(), outputs);
  for (const EngineOutput& output : outputs) give(context, output);
  update(context);
}

void EngineServer::give(Context& context, const EngineOutput& output) {
  const auto found = clients_.find(output.id);
  if (found == clients_.end()) return;  // it hung up while the step was in progress
  const Client client = found->second;
  if (output.kind == EngineOutput::Kind::FirstToken) {
    FirstToken token;
    token.set_request_id(client.request_id);
    context.send(client.address, Payload::of(std::move(token)),
                 reply_via(client.trace, client.request_id));
    return;
  }
  ids_.erase({client.address, client.request_id});
  clients_.erase(found);
  InferDone done;
  done.set_outcome(InferDone::COMPLETED);
  done.set_code(kOk);
  done.set_output_tokens(static_cast<std::uint32_t>(output.output_tokens));
  done.set_cached_tokens(static_cast<std::uint32_t>(output.cached_tokens));
  finish(context, client, std::move(done));
}

void EngineServer::finish(Context& context, const Client& client, InferDone done) {
  done.set_request_id(client.request_id);
  context.send(client.address, Payload::of(std::move(done)),
               reply_via(client.trace, client.request_id));
}

/// Brings the timer, the GPUs and the observers in line with the engine.
void EngineServer::update(Context& context) {
  const auto next = engine_.next_event();
  if (next != timer_due_) {
    if (timer_ != 0) context.cancel_timer(timer_);
    timer_ = 0;
    timer_due_ = next;
    if (next) {
      const Duration wait = std::max(*next - context.now(), Duration{0});
      timer_ = context.set_timer(wait, Payload::of(EngineDue{}));
    }
  }
  signals_.work(context, engine_.busy());
  if (engine_.stats().steps == reported_.steps()) reported_at_ = context.now();
  if (!engine_.busy() || context.now() - reported_at_ >= kReportPeriod) report_steps(context);
}

void EngineServer::report_steps(Context& context) {
  const EngineStats& stats = engine_.stats();
  if (stats.steps == reported_.steps()) return;
  reported_at_ = context.now();
  const PrefixStats& prefix = engine_.scheduler().prefix_stats();
  facts::StepsRun totals;
  totals.set_steps(stats.steps);
  totals.set_preemptions(engine_.scheduler().preemptions());
  totals.set_prefix_queries(prefix.queries);
  totals.set_prefix_hits(prefix.hits);
  facts::StepsRun fact;
  fact.set_uid(pod_uid_);
  fact.set_steps(totals.steps() - reported_.steps());
  fact.set_preemptions(totals.preemptions() - reported_.preemptions());
  fact.set_prefix_queries(totals.prefix_queries() - reported_.prefix_queries());
  fact.set_prefix_hits(totals.prefix_hits() - reported_.prefix_hits());
  const GapHistogram gaps = engine_.take_gaps();
  for (const auto& [bucket, tokens] : gaps.counts()) {
    auto& entry = *fact.add_gaps();
    entry.set_gap_ns(GapHistogram::middle_ns(bucket));
    entry.set_tokens(tokens);
  }
  reported_ = std::move(totals);
  context.emit(Payload::of(std::move(fact)));
}

void EngineServer::scrape(Context& context, const Delivery& delivery,
                          const telemetry::ScrapeRequest& request) {
  engine_.settle(context.now());
  telemetry::ScrapeReply reply;
  reply.set_request_id(request.request_id());
  for (telemetry::Sample& sample : vllm_samples(engine_, context.now(), model_)) {
    *reply.add_samples() = std::move(sample);
  }
  context.send(
      delivery.sender, Payload::of(std::move(reply)),
      {.link = Link::Scrape, .object = delivery.sender.actor, .version = request.request_id()});
}

void EngineServer::reset_all(Context& context, const std::string& reason) {
  for (const auto& [id, client] : clients_) {
    engine_.cancel(context.now(), id);
    InferDone done;
    done.set_outcome(InferDone::FAILED);
    done.set_reason(reason);
    finish(context, client, std::move(done));
  }
  clients_.clear();
  ids_.clear();
}

void EngineServer::shut_down(Context& context) {
  engine_.settle(context.now());
  if (timer_ != 0) context.cancel_timer(timer_);
  timer_ = 0;
  signals_.work(context, false);
  report_steps(context);
}

}  // namespace troupe::serving
