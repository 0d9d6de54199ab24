// A journal file: checksummed records, appended, readable up to wherever the writer died.
//
// While a run goes on, `run.journal` grows record by record: a frame is its length, the XXH3-64 of
// its bytes, the bytes. A writer that is killed leaves a torn last frame at worst; the reader stops
// there and says so. When the run ends the file is compressed into `run.journal.zst`, which is
// whole or absent, and the plain one is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "messages/journal.pb.h"
#include "messages/result.h"

namespace troupe {

class JournalWriter {
 public:
  /// Creates `directory`/run.journal; fails where a journal is there or nothing can be written.
  [[nodiscard]] static Result<JournalWriter> create(const std::filesystem::path& directory);

  /// Appends a record; it reaches the file with the next flush at the latest. One of more than
  /// 256 MiB, which no reader takes, is left out, and close() says so.
  void append(const journal::Record& record);
  /// Hands what was appended to the operating system.
  void flush();
  /// Flushes, compresses the file and removes the plain one. Fails where a write did not succeed,
  /// now or before: what reached the plain file stays readable.
  [[nodiscard]] Result<void> close();

 private:
  JournalWriter(std::filesystem::path path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  std::ofstream file_;
  std::string buffer_;
  bool oversized_ = false;  ///< a record was left out
};

/// Removes the plain file of a run that is begun anew.
[[nodiscard]] Result<void> discard_journal(const std::filesystem::path& directory);

/// What a journal held.
struct JournalContent {
  std::vector<journal::Record> records;
  /// Empty, or what ended the reading before the file's end: "torn record at byte 812".
  std::string damage;
};

/// Reads `directory`/run.journal.zst, or the plain file of a run that goes on or died.
[[nodiscard]] Result<JournalContent> read_journal(const std::filesystem::path& directory);

}  // namespace troupe
