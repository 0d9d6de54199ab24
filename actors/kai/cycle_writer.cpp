#include "actors/kai/cycle_writer.h"

#include <utility>

#include "actors/kai/bind_requests.h"
#include "actors/kai/names.h"
#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"
#include "messages/labels.h"
#include "messages/timestamp.h"

namespace troupe::kai {
namespace {

/// KAI writes its marks in whole seconds.
SimTime whole_second(SimTime time) {
  return SimTime(std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()));
}

}  // namespace

void CycleWriter::write(Context& context, schedulers::KaiDecided decided, Done done) {
  decided_ = std::move(decided);
  done_ = std::move(done);
  statement_ = 0;
  bind_ = 0;
  evictions_left_ = 0;
  for (const schedulers::KaiStatement& statement : decided_.statements()) {
    for (const schedulers::KaiBind& wait : statement.pipelined()) tell_pipelined(context, wait);
    for (const schedulers::KaiEviction& eviction : statement.evictions()) {
      if (evict(context, statement, eviction)) ++evictions_left_;
    }
  }
  next(context);
}

void CycleWriter::tell_pipelined(Context& context, const schedulers::KaiBind& wait) {
  if (const auto pod = view_.pod(wait.pod())) {
    events_.record(
        context, *pod,
        {"Normal", "Pipelined", "Pod " + wait.pod() + " was pipelined to node " + wait.node()});
  }
}

void CycleWriter::next(Context& context) {
  while (statement_ < decided_.statements_size()) {
    const schedulers::KaiStatement& statement = decided_.statements(statement_);
    if (bind_ < statement.binds_size()) {
      if (begin_bind(context, statement.binds(bind_++))) return;
      skip_statement();
      continue;
    }
    if (statement.binds_size() > 0) end_statement(context, statement);
    ++statement_;
    bind_ = 0;
  }
  if (evictions_left_ == 0 && done_) std::exchange(done_, nullptr)(context);
}

void CycleWriter::skip_statement() {
  ++statement_;
  bind_ = 0;
}

bool CycleWriter::begin_bind(Context& context, const schedulers::KaiBind& bind) {
  const auto pod = view_.pod(bind.pod());
  // Deleted while the scheduler was thinking: no request can be created for it.
  if (!pod || pod->metadata().uid() != bind.uid()) return false;
  api_.create(context, bind_request(*pod, bind),
              [this, pod, bind](Context& later, const ApiResult& result) {
                if (result.ok()) {
                  events_.record(
                      later, *pod,
                      {"Normal", "Scheduled",
                       "Successfully assigned pod " + bind.pod() + " to node " + bind.node() +
                           " at node-pool " + std::string(kDefaultNodePool)});
                } else {
                  bind_failed(later, *pod, bind, result.message);
                  skip_statement();
                }
                next(later);
              });
  return true;
}

void CycleWriter::bind_failed(Context& context, const k8s::Pod& pod,
                              const schedulers::KaiBind& bind, const std::string& why) {
  const std::string message =
      "Failed to bind pod " + bind.pod() + " to node " + bind.node() + ". " + why;
  events_.record(context, pod, {"Warning", "FailedBinding", message});
  auto patch = scheduling::not_scheduled_patch(pod, "BindingError", message, context.now());
  if (patch) {
    api_.patch(context, std::move(*patch), {.subresource = "status", .strategic = true},
               [](Context&, const ApiResult&) {});
  }
}

void CycleWriter::end_statement(Context& context, const schedulers::KaiStatement& statement) {
  if (statement.completes()) {
    facts::GangAdmitted admitted;
    admitted.set_gang(statement.gang());
    context.emit(Payload::of(std::move(admitted)));
  }
  if (statement.starts()) set_last_start(context, statement.gang());
}

void CycleWriter::set_last_start(Context& context, const std::string& group) {
  const auto object = view_.group(group);
  if (!object) return;
  PodGroup partial;
  partial.mutable_metadata()->set_name(object->metadata().name());
  partial.mutable_metadata()->set_namespace_(object->metadata().namespace_());
  set_label(*partial.mutable_metadata()->mutable_annotations(), kLastStartAnnotation,
            print_timestamp(whole_second(context.now())));
  api_.patch(context, std::move(partial), {}, [](Context&, const ApiResult&) {});
}

bool CycleWriter::evict(Context& context, const schedulers::KaiStatement& statement,
                        const schedulers::KaiEviction& eviction) {
  const auto pod = view_.pod(eviction.pod());
  if (!pod || pod->metadata().uid() != eviction.uid()) return false;
  if (const auto group = view_.group(statement.gang())) {
    events_.record(context, *group, {"Normal", "Evict", eviction.message()});
  }
  facts::PodEvicted fact;
  fact.set_uid(eviction.uid());
  fact.set_namespace_(pod->metadata().namespace_());
  fact.set_name(pod->metadata().name());
  fact.set_by(scheduler_name_);
  fact.set_reason(eviction.message());
  context.emit(Payload::of(std::move(fact)));
  api_.remove(context, key_of(*pod), {.uid = eviction.uid()},
              [this](Context& later, const ApiResult&) {
                --evictions_left_;
                if (statement_ >= decided_.statements_size()) next(later);
              });
  return true;
}

}  // namespace troupe::kai
