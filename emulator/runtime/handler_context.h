// The Context of one handler: it notes what the handler does and hashes it, and applies nothing.
// The runtime applies the effects once the handler has returned, so what one handler persists,
// sends and spawns happens as one or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "actors/context.h"
#include "emulator/runtime/host.h"

namespace troupe {

/// All that a handler did, in the order it did it within each kind.
struct Effects {
  struct Send {
    Address to;
    Payload what;
    Via via;
    std::uint64_t sequence;
  };
  struct Timer {
    TimerId id;  ///< also its sequence number
    Duration delay;
    Payload what;
  };
  struct Spawn {
    std::string path;
    Address address;
    std::unique_ptr<Actor> actor;
  };
  struct Persist {
    std::string key;
    std::string bytes;
  };

  std::vector<Send> sends;
  std::vector<Timer> timers;
  std::vector<TimerId> cancelled;
  std::vector<Spawn> spawns;
  std::vector<Address> stops;
  std::vector<Persist> persists;
  std::vector<Payload> facts;

  void clear();
};

class HandlerContext final : public Context {
 public:
  /// `record` collects the words that the actor's chain folds in.
  HandlerContext(std::uint64_t seed, Effects& effects, std::vector<std::uint64_t>& record)
      : seed_(seed), effects_(effects), record_(record) {}

  /// Points the context at the handler that runs next.
  void begin(SimTime now, Cell& cell);

  [[nodiscard]] SimTime now() const override { return now_; }
  [[nodiscard]] const Address& self() const override { return cell_->address; }
  [[nodiscard]] const std::string& path() const override { return cell_->path; }
  void send(const Address& to, Payload what, const Via& via) override;
  TimerId set_timer(Duration delay, Payload what) override;
  void cancel_timer(TimerId timer) override;
  Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override;
  void stop(const Address& actor) override;
  void persist(const std::string& key, std::string bytes) override;
  void emit(Payload fact) override;
  [[nodiscard]] std::uint64_t random(std::string_view purpose, std::uint64_t index) const override;

 private:
  std::uint64_t seed_;
  Effects& effects_;
  std::vector<std::uint64_t>& record_;
  SimTime now_{};
  Cell* cell_ = nullptr;
};

}  // namespace troupe
