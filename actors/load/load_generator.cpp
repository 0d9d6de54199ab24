#include "actors/load/load_generator.h"

#include <utility>

#include "actors/distribution.h"
#include "actors/load/problem.h"
#include "actors/load/retry.h"
#include "messages/assert.h"
#include "messages/fault.pb.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::load {
namespace {

// A request's number and its attempt, in one id that is unique within the load.
constexpr int kAttemptBits = 8;
constexpr std::uint32_t kAttemptsMax = 1U << kAttemptBits;

std::uint64_t attempt_id(std::uint64_t n, std::uint32_t attempt) {
  return n << kAttemptBits | attempt;
}

// The name of a request in the facts: unique among all loads, also those that began again after a
// crash.
std::uint64_t fact_id(const Context& context, std::uint64_t n) {
  return mix(context.self().host, context.self().incarnation) << 32 | n;
}

Via via_of(const Context& context, std::uint64_t n, std::uint32_t attempt) {
  return {.link = Link::DataPlane, .object = fact_id(context, n), .version = attempt};
}

}  // namespace

std::unique_ptr<Actor> make_load_generator(const Payload& host_start) {
  TROUPE_ASSERT(!host_start.attachments().empty(), "a load without its configuration");
  auto config = host_start.attachments()[0].share<LoadConfig>();
  TROUPE_ASSERT(config != nullptr, "the configuration of a load must be a LoadConfig");
  return std::make_unique<LoadGenerator>(std::move(config));
}

LoadGenerator::LoadGenerator(std::shared_ptr<const LoadConfig> config)
    : config_(std::move(config)) {
  const std::optional<std::string> problem = problem_of(*config_);
  TROUPE_ASSERT(!problem, problem.value_or(""));
}

void LoadGenerator::start(Context& context) {
  source_ = make_request_source(*config_, context.path());
  if (source_) {
    plan_next(context);
  } else if (config_->generator().arrivals().has_closed_loop()) {
    user_shapes_.emplace(config_->generator(), context.path());
    start_users(context);
  }
}

void LoadGenerator::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<RequestDue>()) return issue_due(context);
  if (delivery.as<CopyDue>()) {
    static_cast<void>(issue(context, std::move(copies_.front())));
    return copies_.pop_front();
  }
  if (const auto* spike = delivery.as<fault::SpikeLoad>()) {
    factor_permille_ = spike->factor_permille();
    return;
  }
  if (const auto* token = delivery.as<serving::FirstToken>()) return first_token(context, *token);
  if (const auto* reply = delivery.as<serving::InferDone>()) return done(context, *reply);
  if (const auto* ended = delivery.as<PatienceEnded>())
    return patience_ended(context, ended->request());
  if (const auto* due = delivery.as<RetryDue>()) return retry_due(context, due->request());
  if (const auto* ready = delivery.as<UserReady>()) return user_ready(context, ready->user());
  if (delivery.as<runtime::ConnectionRefused>()) return refused(context, delivery);
}

// ---- when: open loop ----

void LoadGenerator::plan_next(Context& context) {
  const bool restarted = context.self().incarnation > 1;
  do {
    next_ = source_->next(random_bits_of(context));
    // Clients that were down do not catch up with what they would have asked meanwhile.
  } while (restarted && next_ && next_->at < context.now());
  if (!next_) return;
  const Duration wait = std::max(next_->at - context.now(), Duration{0});
  context.set_timer(wait, Payload::of(RequestDue{}));
}

void LoadGenerator::issue_due(Context& context) {
  TROUPE_ASSERT(next_.has_value(), "nothing was planned");
  const RequestShape shape = next_->shape;
  static_cast<void>(issue(context, std::move(next_->shape)));
  plan_next(context);
  if (factor_permille_ > kUsual) plan_copies(context, shape);
}

// More of the same, as from more users of the same kind: spread over the time to the next one.
void LoadGenerator::plan_copies(Context& context, const RequestShape& shape) {
  owed_permille_ += factor_permille_ - kUsual;
  const std::int64_t count = owed_permille_ / kUsual;
  owed_permille_ %= kUsual;
  const Duration gap = next_ ? std::max(next_->at - context.now(), Duration{0}) : Duration{0};
  for (std::int64_t i = 1; i <= count; ++i) {
    copies_.push_back(shape);
    context.set_timer(gap * i / (count + 1), Payload::of(CopyDue{}));
  }
}

// ---- when: closed loop ----

void LoadGenerator::start_users(Context& context) {
  const Generator& generator = config_->generator();
  const ClosedLoop& loop = generator.arrivals().closed_loop();
  const Duration until_start = std::max(from_ns(generator.start_ns()) - context.now(), Duration{0});
  for (std::uint32_t user = 0; user < loop.users(); ++user) {
    UserReady ready;
    ready.set_user(user);
    const Duration ramp{loop.ramp_ns() / loop.users() * user};
    context.set_timer(until_start + ramp, Payload::of(std::move(ready)));
  }
}

void LoadGenerator::user_ready(Context& context, std::uint32_t user) {
  const Generator& generator = config_->generator();
  const std::int64_t ran_ns = to_ns(context.now()) - generator.start_ns();
  if (generator.duration_ns() != 0 && ran_ns >= generator.duration_ns()) return;
  if (generator.requests_max() != 0 && issued_ == generator.requests_max()) return;
  const std::uint64_t n = issue(context, user_shapes_->at(issued_, random_bits_of(context)));
  open_.at(n).user = user;
}

// ---- what: issue, attempts, replies ----

std::uint64_t LoadGenerator::issue(Context& context, RequestShape shape) {
  const std::uint64_t n = issued_++;
  facts::RequestIssued fact;
  fact.set_request(fact_id(context, n));
  fact.set_service(config_->service());
  fact.set_prompt_tokens(shape.prompt_tokens);
  fact.set_output_tokens(shape.output_tokens);
  context.emit(Payload::of(std::move(fact)));

  OpenRequest& request = open_[n];
  request.shape = std::move(shape);
  request.issued_at = context.now();
  if (config_->timeout_ns() > 0) {
    PatienceEnded ended;
    ended.set_request(n);
    request.patience =
        context.set_timer(Duration{config_->timeout_ns()}, Payload::of(std::move(ended)));
  }
  send_attempt(context, n);
  return n;
}

void LoadGenerator::send_attempt(Context& context, std::uint64_t n) {
  const OpenRequest& request = open_.at(n);
  serving::InferRequest message;
  message.set_request_id(attempt_id(n, request.attempt));
  message.set_prompt_tokens(request.shape.prompt_tokens);
  message.set_output_tokens(request.shape.output_tokens);
  for (const serving::PromptSegment& segment : request.shape.segments)
    *message.add_prompt() = segment;
  message.set_model(config_->model());
  message.set_trace(fact_id(context, n));
  context.send(address_of(config_->router()), Payload::of(std::move(message)),
               via_of(context, n, request.attempt));
}

OpenRequest* LoadGenerator::find_attempt(std::uint64_t id) {
  const auto found = open_.find(id >> kAttemptBits);
  if (found == open_.end()) return nullptr;
  return found->second.attempt == id % kAttemptsMax ? &found->second : nullptr;
}

void LoadGenerator::first_token(Context& context, const serving::FirstToken& token) {
  OpenRequest* request = find_attempt(token.request_id());
  if (request == nullptr || request->first_token_at) return;
  token_came(context, token.request_id() >> kAttemptBits, *request);
}

void LoadGenerator::token_came(Context& context, std::uint64_t n, OpenRequest& request) {
  request.first_token_at = context.now();
  facts::RequestFirstToken fact;
  fact.set_request(fact_id(context, n));
  fact.set_ttft_ns((context.now() - request.issued_at).count());
  context.emit(Payload::of(std::move(fact)));
}

void LoadGenerator::done(Context& context, const serving::InferDone& reply) {
  OpenRequest* request = find_attempt(reply.request_id());
  if (request == nullptr) return;
  const std::uint64_t n = reply.request_id() >> kAttemptBits;
  if (reply.outcome() == serving::InferDone::COMPLETED) {
    // A short answer's end may overtake its first token on the way.
    if (!request->first_token_at) token_came(context, n, *request);
    return end(context, n, {facts::RequestEnded::COMPLETED, {}, reply.output_tokens()});
  }
  if (try_again(context, n, reply.code())) return;
  const bool was_rejected = reply.outcome() == serving::InferDone::REJECTED;
  end(context, n,
      {was_rejected ? facts::RequestEnded::REJECTED : facts::RequestEnded::FAILED, reply.reason(),
       reply.output_tokens()});
}

void LoadGenerator::refused(Context& context, const Delivery& delivery) {
  if (delivery.payload.attachments().empty()) return;
  const auto* sent = delivery.payload.attachments()[0].as<serving::InferRequest>();
  if (sent == nullptr || find_attempt(sent->request_id()) == nullptr)
    return;  // a hang-up was refused: it is over
  const std::uint64_t n = sent->request_id() >> kAttemptBits;
  if (!try_again(context, n, 0))
    end(context, n, {facts::RequestEnded::FAILED, "connection refused", 0});
}

bool LoadGenerator::try_again(Context& context, std::uint64_t n, std::uint32_t http_code) {
  OpenRequest& request = open_.at(n);
  if (request.first_token_at || !is_retryable(http_code)) return false;
  if (request.attempt >= config_->retry().retries()) return false;
  const std::uint64_t bits = context.random("backoff", attempt_id(n, request.attempt));
  const Duration wait = retry_backoff(config_->retry(), request.attempt, bits);
  ++request.attempt;
  RetryDue due;
  due.set_request(n);
  request.retry = context.set_timer(wait, Payload::of(std::move(due)));
  return true;
}

void LoadGenerator::retry_due(Context& context, std::uint64_t n) {
  const auto found = open_.find(n);
  if (found == open_.end()) return;
  found->second.retry = 0;
  send_attempt(context, n);
}

void LoadGenerator::patience_ended(Context& context, std::uint64_t n) {
  const auto found = open_.find(n);
  if (found == open_.end()) return;
  const OpenRequest& request = found->second;
  if (request.retry == 0) {
    serving::CancelRequest cancel;
    cancel.set_request_id(attempt_id(n, request.attempt));
    context.send(address_of(config_->router()), Payload::of(std::move(cancel)),
                 via_of(context, n, request.attempt));
  }
  const std::uint32_t received = request.first_token_at ? 1 : 0;
  end(context, n, {facts::RequestEnded::TIMED_OUT, "the client hung up", received});
}

void LoadGenerator::end(Context& context, std::uint64_t n, const Ending& ending) {
  const auto found = open_.find(n);
  TROUPE_ASSERT(found != open_.end(), "a request ends twice");
  const OpenRequest request = std::move(found->second);
  open_.erase(found);
  if (request.patience != 0) context.cancel_timer(request.patience);
  if (request.retry != 0) context.cancel_timer(request.retry);
  facts::RequestEnded fact = describe_end(request, ending, context.now());
  fact.set_request(fact_id(context, n));
  fact.set_service(config_->service());
  context.emit(Payload::of(std::move(fact)));
  if (!request.user) return;
  UserReady ready;
  ready.set_user(*request.user);
  const Distribution& think = config_->generator().arrivals().closed_loop().think();
  context.set_timer(sample(think, context.random("think", n)), Payload::of(std::move(ready)));
}

}  // namespace troupe::load
