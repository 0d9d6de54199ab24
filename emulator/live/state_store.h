// What survives the death of a worker: which hosts it has begun, and what their actors persisted.
//
// SQLite with a write-ahead log, synchronous=NORMAL: a commit is in the operating system's hands
// when it returns, so it survives kill -9; a power loss of the machine may lose the last ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "messages/result.h"

namespace troupe::live {

class StateStore {
 public:
  struct Host {
    std::string path;
    std::string start;  ///< a serialised runtime::Envelope; empty: it has stopped for good
    std::map<std::string, std::map<std::string, std::string>> persisted;  ///< by actor, by key
  };
  struct Write {
    std::string host;
    std::string actor;
    std::string key;
    std::string bytes;  ///< empty: erased
  };
  struct Begun {
    std::string host;
    std::string start;
  };

  /// Opens the file or makes it.
  [[nodiscard]] static Result<StateStore> open(const std::filesystem::path& file);
  ~StateStore();
  StateStore(StateStore&&) noexcept;
  StateStore& operator=(StateStore&&) noexcept;

  /// All of it, or none.
  [[nodiscard]] Result<void> commit(const std::vector<Begun>& begun,
                                    const std::vector<Write>& writes);
  /// Every host that was begun, by path.
  [[nodiscard]] Result<std::vector<Host>> hosts() const;

 private:
  struct Database;
  explicit StateStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace troupe::live
