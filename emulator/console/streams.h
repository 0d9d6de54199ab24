// What consoles follow: `get -w` and `watch events`. Between two slices each is told what is new.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/console/control_server.h"
#include "emulator/console/read_commands.h"
#include "messages/director.pb.h"

namespace troupe::console {

/// How the steps of consoles ended, since it was last asked.
class StepEnds final : public Observer {
 public:
  void on_fact(const FactRecord& record) override {
    if (const auto* ended = record.fact.as<director::StepEnded>()) ends_.push_back(*ended);
  }
  [[nodiscard]] std::vector<director::StepEnded> take() { return std::exchange(ends_, {}); }

 private:
  std::vector<director::StepEnded> ends_;
};

class Streams {
 public:
  explicit Streams(ControlServer& server) : server_(server) {}

  /// Begins to follow the rows of `get` or, without words, what is said about objects. What there
  /// is now is told at once, rows alone.
  void follow(const std::string& peer, std::uint64_t id, std::vector<std::string> words, bool json,
              const RunView& run);
  void cancel(const std::string& peer, std::uint64_t id);
  void tell(const RunView& run);
  /// The run is begun anew: rows are told where they differ from before, what was said is not told
  /// again.
  void restart();
  void end();
  [[nodiscard]] bool empty() const { return streams_.empty(); }

 private:
  struct Stream {
    std::string peer;
    std::uint64_t id = 0;
    std::vector<std::string> words;  ///< behind `get`; empty: events
    bool json = false;
    std::uint64_t said = 0;
    std::map<std::string, std::vector<std::string>> rows = {};
    bool headed = false;
    bool restarted = false;  ///< the run was rewound since it was told anything
  };
  [[nodiscard]] static std::string news(Stream& stream, const RunView& run);
  [[nodiscard]] static std::string new_events(Stream& stream, const RunView& run);
  bool send(const Stream& stream, const std::string& text, bool more, const RunView* run);

  ControlServer& server_;
  std::vector<Stream> streams_;
};

}  // namespace troupe::console
