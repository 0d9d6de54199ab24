// The files in which one worker writes every inbox: segments of a bounded size, compressed once
// they are full. docs/spec/run-directory.md has their names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/journal/journal_file.h"
#include "emulator/live/inbox_fold.h"
#include "messages/inbox.pb.h"
#include "messages/result.h"

namespace troupe::live {

class InboxJournal {
 public:
  /// Folds what earlier processes at this place wrote, and begins a segment of its own.
  [[nodiscard]] static Result<InboxJournal> create(const std::filesystem::path& directory,
                                                   std::uint32_t process, std::uint32_t epoch);
  ~InboxJournal();
  InboxJournal(InboxJournal&&) = default;
  InboxJournal& operator=(InboxJournal&&) = delete;

  void append(const inbox::Record& record);
  /// Hands all that was appended to the operating system: from then on it survives kill -9. False
  /// once something could not be written.
  bool flush();
  /// Flushes and compresses. Fails where something could not be written.
  [[nodiscard]] Result<void> close();

  [[nodiscard]] const InboxFold& fold() const { return fold_; }

 private:
  InboxJournal(std::filesystem::path directory, std::uint32_t process, std::uint32_t epoch)
      : directory_(std::move(directory)), process_(process), epoch_(epoch) {}
  Result<void> begin_segment();
  void end_segment();

  std::filesystem::path directory_;
  std::uint32_t process_;
  std::uint32_t epoch_;
  std::uint32_t segment_ = 0;
  std::optional<JournalWriter> writer_;
  std::vector<std::thread> compressing_;
  bool failed_ = false;
  InboxFold fold_;
};

/// What one place of a live run wrote, segment by segment and epoch by epoch.
struct InboxFiles {
  std::vector<std::string> stems;  ///< in the order in which they were written
};
[[nodiscard]] InboxFiles inbox_files(const std::filesystem::path& directory);

/// What all processes that had that place wrote, whole records alone.
[[nodiscard]] Result<InboxFold> fold_inboxes(const std::filesystem::path& directory,
                                             std::uint32_t process);

/// Hands every record of a segment to `take`. Returns the damage at its end, or none.
[[nodiscard]] Result<std::string> read_inbox(const std::filesystem::path& directory,
                                             const std::string& stem,
                                             const std::function<void(inbox::Record)>& take);

}  // namespace troupe::live
