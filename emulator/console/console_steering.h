// A run under the hands of its consoles: pace, pause and steps; commands answered between two
// slices of virtual time; what acts is stamped with the slice's end, journaled, and done again when
// the run is rewound.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/config/scenario_loader.h"
#include "emulator/console/act_commands.h"
#include "emulator/console/cluster_view.h"
#include "emulator/console/control_server.h"
#include "emulator/console/streams.h"
#include "emulator/processes/pace.h"
#include "emulator/processes/steering.h"

namespace troupe::console {

struct SteeringOptions {
  bool paused = false;
  std::optional<double> speed;  ///< virtual seconds a wall second; none: as fast as it goes
  /// Set from outside, as by a signal. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// The file that the plan came from, for `save`.
  std::filesystem::path scenario;
  config::LoadOptions load;
};

class ConsoleSteering final : public Steering {
 public:
  /// `server` must outlive it.
  ConsoleSteering(const plan::RunPlan& plan, ControlServer& server, SteeringOptions options);

  void begin(Underway run) override;
  Order next() override;
  void end() override;

  /// Something was done to the run by hand, so that its plan alone does not make it again.
  [[nodiscard]] bool has_acted() const { return !done_.empty(); }

 private:
  using Words = std::vector<std::string>;
  /// A command of a console that is being carried out.
  struct Caller {
    std::string peer;
    std::uint64_t id = 0;
    bool json = false;
  };
  /// One whose objects the API server has not answered for yet.
  struct Waiting {
    Caller caller;
    std::size_t steps = 0;
    std::string done;
    Answer answer;
  };

  void serve(const ControlServer::Incoming& incoming);
  void run_command(const Caller& caller, Words words, const control::Request& request);
  [[nodiscard]] std::optional<Answer> look(const Words& words, bool json) const;
  [[nodiscard]] std::optional<Answer> move(const Caller& caller, const Words& words);
  bool act(const Caller& caller, const Words& words, const control::Request& request);
  void carry_out(const Caller& caller, Act act, std::string text);
  void do_command(const journal::Command& command);
  [[nodiscard]] Answer set_speed(const Words& words);
  [[nodiscard]] Answer step(const Caller& caller, const Words& words);
  [[nodiscard]] std::optional<Answer> rewind(const Caller& caller, const Words& words);
  [[nodiscard]] Answer save(const Words& words) const;
  [[nodiscard]] Answer status(bool json) const;
  std::optional<Order> redo();
  std::optional<Order> go_on();
  void pause();
  void answer_ended_steps();
  void reply(const Caller& caller, const Answer& answer, bool more = false);
  [[nodiscard]] RunView view() const;
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  [[nodiscard]] std::string stand() const;

  plan::RunPlan plan_;  ///< without the hosts' configurations
  plan::RunPlan fault_plan_;
  ControlServer& server_;
  SteeringOptions options_;
  Pace pace_;
  std::optional<Underway> run_;
  std::unique_ptr<ClusterView> view_;
  std::unique_ptr<StepEnds> ends_;
  Streams streams_;

  bool began_ = false;  ///< the events of time 0 have run
  bool paused_ = false;
  std::optional<SimTime> pause_at_;
  std::size_t moments_ = 0;             ///< of a step that are still to come
  std::optional<Caller> stepping_;      ///< whom to tell when it stands again
  std::optional<Order> order_;          ///< that a command gave
  std::vector<journal::Command> done_;  ///< so far, in order of their stamps
  std::vector<journal::Command> redo_;  ///< of a rewound run, still to do
  std::optional<SimTime> rewind_to_;
  bool director_started_ = false;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  ///< by the command's number
  std::set<std::string> peers_;
};

}  // namespace troupe::console
