// The program, run as a user runs it.
#pragma once

#include <string>

namespace troupe::test {

struct Output {
  int exit_code = -1;
  std::string text;  ///< both streams
};

/// Runs `command` in a shell.
Output shell(const std::string& command);
/// Runs build/troupe with these arguments.
Output troupe(const std::string& arguments);

}  // namespace troupe::test
