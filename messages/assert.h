// Assertions that stay on: a broken contract stops the run, in Release too. Never reachable from a
// user's input.
#pragma once

#include <stdexcept>
#include <string>

namespace troupe {

/// A defect of ours. The runtime turns it into exit code 3 with the actor, the message and the
/// replay command.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void fail_assertion(const char* file, int line, const std::string& what) {
  throw ContractViolation(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace troupe

#define TROUPE_ASSERT(condition, what) \
  ((condition) ? static_cast<void>(0) : ::troupe::fail_assertion(__FILE__, __LINE__, what))
