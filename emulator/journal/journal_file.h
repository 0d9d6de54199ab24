// A journal file: checksummed records, appended, readable up to wherever the writer died.
//
// While a run goes on, `STEM.journal` grows record by record: a frame is its length, the XXH3-64 of
// its bytes, the bytes. A writer that is killed leaves a torn last frame at worst; the reader stops
// there and says so. When the run ends the file is compressed into `STEM.journal.zst`, which is
// whole or absent, and the plain one is removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/journal.pb.h"
#include "messages/result.h"

namespace troupe {

class JournalWriter {
 public:
  /// Creates `directory`/STEM.journal; fails where a journal is there or nothing can be written.
  [[nodiscard]] static Result<JournalWriter> create(const std::filesystem::path& directory,
                                                    const std::string& stem = "run");

  /// Appends a record; it reaches the file with the next flush at the latest. One of more than
  /// 256 MiB, which no reader takes, is left out, and close() says so.
  void append(const google::protobuf::Message& record);
  /// Bytes so far.
  [[nodiscard]] std::uint64_t size() const { return written_ + buffer_.size(); }
  /// Hands what was appended to the operating system. False once something could not be written:
  /// the file ends before it, and takes nothing any more.
  bool flush();
  /// Flushes, compresses the file and removes the plain one. Fails where a write did not succeed,
  /// now or before: what reached the plain file stays readable.
  [[nodiscard]] Result<void> close();

 private:
  JournalWriter(std::filesystem::path path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}

  void cut_off();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
  bool oversized_ = false;  ///< a record was left out
  bool failed_ = false;
};

/// Removes the plain file of a run that is begun anew.
[[nodiscard]] Result<void> discard_journal(const std::filesystem::path& directory);

/// What a journal held.
struct JournalContent {
  std::vector<journal::Record> records;
  /// Empty, or what ended the reading before the file's end: "torn record at byte 812".
  std::string damage;
};

/// Reads the records of a journal of any kind, one after the other, until `take` returns false;
/// compressed or plain. Returns the damage, as JournalContent has it: a record that `take` could
/// not parse is none of a journal's own, and is damage too.
[[nodiscard]] Result<std::string> read_records(
    const std::filesystem::path& directory, const std::string& stem,
    const std::function<bool(std::string_view body)>& take);

/// Reads `directory`/run.journal.zst, or the plain file of a run that goes on or died.
[[nodiscard]] Result<JournalContent> read_journal(const std::filesystem::path& directory);

}  // namespace troupe
