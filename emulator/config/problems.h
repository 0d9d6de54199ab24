// What is wrong with a user's files beyond their form: collected, so that one run of `troupe check`
// shows all of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace troupe::config {

/// Something that does not resolve: at a path of the scenario ("traffic[0].service"; the loader
/// adds the line) or at a place of another file ("pods.yaml:12").
struct Problem {
  std::string path;
  std::string message;  ///< what is wrong and what was expected
  std::string where = {};
};

class Problems {
 public:
  void add(std::string path, std::string message) {
    all_.push_back({std::move(path), std::move(message)});
  }
  void add_at(std::string where, std::string message) {
    all_.push_back({{}, std::move(message), std::move(where)});
  }
  [[nodiscard]] bool empty() const { return all_.empty(); }
  [[nodiscard]] const std::vector<Problem>& all() const { return all_; }

 private:
  std::vector<Problem> all_;
};

}  // namespace troupe::config
