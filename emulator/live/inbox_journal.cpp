#include "emulator/live/inbox_journal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <system_error>

namespace troupe::live {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSegmentBytes = std::uint64_t{64} << 20;
constexpr const char* kPrefix = "inbox-";

// inbox-PROCESS-EPOCH-SEGMENT: in the order of their names they are in the order of their writing.
std::string stem_of(std::uint32_t process, std::uint32_t epoch, std::uint32_t segment) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s%03u-%04u-%05u", kPrefix, process, epoch, segment);
  return text.data();
}

}  // namespace

Result<InboxJournal> InboxJournal::create(const fs::path& directory, std::uint32_t process,
                                          std::uint32_t epoch) {
  InboxJournal journal(directory, process, epoch);
  Result<InboxFold> before = fold_inboxes(directory, process);
  if (!before) return tl::unexpected(before.error());
  journal.fold_ = *std::move(before);
  if (const Result<void> begun = journal.begin_segment(); !begun) {
    return tl::unexpected(begun.error());
  }
  return journal;
}

InboxJournal::~InboxJournal() {
  for (std::thread& thread : compressing_) thread.join();
}

Result<void> InboxJournal::begin_segment() {
  Result<JournalWriter> writer =
      JournalWriter::create(directory_, stem_of(process_, epoch_, segment_++));
  if (!writer) return tl::unexpected(writer.error());
  writer_.emplace(*std::move(writer));
  return {};
}

void InboxJournal::append(const inbox::Record& record) {
  fold_.add(record);
  writer_->append(record);
}

bool InboxJournal::flush() {
  failed_ = !writer_->flush() || failed_;
  if (!failed_ && writer_->size() >= kSegmentBytes) {
    end_segment();
    failed_ = !begin_segment().has_value();
  }
  return !failed_;
}

// The compression of a full segment takes a while; whoever writes has none.
void InboxJournal::end_segment() {
  compressing_.emplace_back([writer = std::make_shared<JournalWriter>(*std::move(writer_))] {
    // What cannot be compressed stays as it is, which a reader takes as well.
    static_cast<void>(writer->close());
  });
}

Result<void> InboxJournal::close() {
  for (std::thread& thread : compressing_) thread.join();
  compressing_.clear();
  if (failed_) return fail("could not be written whole: is the disk full?", directory_.string());
  return writer_->close();
}

InboxFiles inbox_files(const fs::path& directory) {
  InboxFiles files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || name.ends_with(".part")) continue;
    name.resize(name.find('.'));
    files.stems.push_back(std::move(name));
  }
  std::sort(files.stems.begin(), files.stems.end());
  files.stems.erase(std::unique(files.stems.begin(), files.stems.end()), files.stems.end());
  return files;
}

Result<InboxFold> fold_inboxes(const fs::path& directory, std::uint32_t process) {
  InboxFold fold;
  const std::string place = stem_of(process, 0, 0).substr(0, std::string(kPrefix).size() + 3);
  for (const std::string& stem : inbox_files(directory).stems) {
    if (!stem.starts_with(place)) continue;
    const Result<std::string> read =
        read_inbox(directory, stem, [&fold](const inbox::Record& record) { fold.add(record); });
    if (!read) return tl::unexpected(read.error());
  }
  return fold;
}

Result<std::string> read_inbox(const fs::path& directory, const std::string& stem,
                               const std::function<void(inbox::Record)>& take) {
  return read_records(directory, stem, [&take](std::string_view body) {
    inbox::Record record;
    if (!record.ParseFromArray(body.data(), static_cast<int>(body.size()))) return false;
    take(std::move(record));
    return true;
  });
}

}  // namespace troupe::live
