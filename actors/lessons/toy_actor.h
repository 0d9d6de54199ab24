// The toy as an actor: host `lessons/NAME`. Its time 0 is the moment that the host begins.
#pragma once

#include <memory>

#include "actors/actor.h"
#include "actors/context.h"
#include "actors/lessons/toy.h"
#include "messages/lessons.pb.h"

namespace troupe::lessons {

class ToyActor final : public Actor {
 public:
  explicit ToyActor(std::shared_ptr<const ToyConfig> config);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void advance(Context& context);

  std::shared_ptr<const ToyConfig> config_;
  SimTime began_at_;
  std::unique_ptr<Toy> toy_;
};

/// The builder of the host kind "toy": attachment 0 of HostStart is a ToyConfig.
[[nodiscard]] std::unique_ptr<Actor> make_toy(const Payload& host_start);

}  // namespace troupe::lessons
