// Expected failure is a value: Result<T> is a T or an Error that says what was wrong and where.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace troupe {

struct Error {
  std::string message;  ///< what was wrong, what was expected instead
  std::string where;    ///< "file:line" or "file:line:path"; empty where it makes no sense
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message, std::string where = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(where)});
}

}  // namespace troupe
