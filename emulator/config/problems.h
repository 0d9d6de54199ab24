// What is wrong with a user's files beyond their form: collected, so that one run of `troupe check`
// shows all of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::config {

/// Something that does not resolve. `file` is empty for the scenario itself; `path` leads to the
/// place in the file: "traffic[0].service". The loader adds the line.
struct Problem {
  std::string path;
  std::string message;  ///< what is wrong and what was expected
  std::string file = {};
};

class Problems {
 public:
  void add(std::string path, std::string message) {
    all_.push_back({std::move(path), std::move(message)});
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Problem>& all() const { return all_; }

 private:
  std::vector<Problem> all_;
};

}  // namespace troupe::config
