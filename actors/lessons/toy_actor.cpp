#include "actors/lessons/toy_actor.h"

#include <string>
#include <utility>

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe::lessons {

std::unique_ptr<Actor> make_toy(const Payload& host_start) {
  TROUPE_ASSERT(!host_start.attachments().empty(), "a toy without its configuration");
  auto config = host_start.attachments()[0].share<ToyConfig>();
  TROUPE_ASSERT(config != nullptr, "the configuration of a toy must be a ToyConfig");
  return std::make_unique<ToyActor>(std::move(config));
}

ToyActor::ToyActor(std::shared_ptr<const ToyConfig> config) : config_(std::move(config)) {}

void ToyActor::start(Context& context) {
  began_at_ = context.now();
  const std::string name = context.path().substr(context.path().find('/') + 1);
  // The upper half names this life of the host, so that no two loads share an id.
  const std::uint64_t first_id = mix(context.self().host, context.self().incarnation) << 32;
  toy_ = std::make_unique<Toy>(*config_, name, first_id);
  advance(context);
}

void ToyActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<ToyDue>()) advance(context);
}

void ToyActor::advance(Context& context) {
  const Duration now = context.now() - began_at_;
  for (Payload& fact : toy_->advance(now)) context.emit(std::move(fact));
  if (const std::optional<Duration> next = toy_->next(now)) {
    context.set_timer(*next - now, Payload::of(ToyDue{}));
  }
}

}  // namespace troupe::lessons
