#include "emulator/journal/journal_file.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace troupe {
namespace {

namespace fs = std::filesystem;

class Journal : public ::testing::Test {
 protected:
  Journal()
      : directory_(fs::path(testing::TempDir()) /
                   ("troupe-" +
                    std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    fs::remove_all(directory_);
  }
  ~Journal() override { fs::remove_all(directory_); }

  static journal::Record checkpoint(std::int64_t time) {
    journal::Record record;
    record.mutable_checkpoint()->set_time_ns(time);
    return record;
  }
  JournalWriter written(int records) {
    Result<JournalWriter> writer = JournalWriter::create(directory_);
    EXPECT_TRUE(writer.has_value());
    for (int i = 0; i < records; ++i) writer->append(checkpoint(i));
    writer->flush();
    return std::move(*writer);
  }

  fs::path directory_;
};

TEST_F(Journal, GivesBackWhatWasAppendedOnceClosed) {
  JournalWriter writer = written(100);
  ASSERT_TRUE(writer.close());
  const Result<JournalContent> content = read_journal(directory_);
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->damage, "");
  ASSERT_EQ(content->records.size(), 100u);
  EXPECT_EQ(content->records[99].checkpoint().time_ns(), 99);
  EXPECT_FALSE(fs::exists(directory_ / "run.journal"));
}

TEST_F(Journal, IsReadableWhileTheRunGoesOn) {
  const JournalWriter writer = written(3);
  EXPECT_EQ(read_journal(directory_)->records.size(), 3u);
}

// A limit of a file's size fails a write in the middle, as a disk does that fills up.
class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LimitedFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Journal, OfAWriteThatFindsNoRoomNothingStays) {
  Result<JournalWriter> writer = JournalWriter::create(directory_);
  ASSERT_TRUE(writer.has_value());
  {
    const LimitedFiles limited(1000);
    for (int i = 0; i < 10; ++i) writer->append(checkpoint(i));
    EXPECT_TRUE(writer->flush());
    for (int i = 10; i < 200; ++i) writer->append(checkpoint(i));
    EXPECT_FALSE(writer->flush());
  }
  writer->append(checkpoint(200));
  EXPECT_FALSE(writer->flush()) << "there is room again, but a gap would be before it";
  EXPECT_FALSE(writer->close());
  const Result<JournalContent> content = read_journal(directory_);
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->damage, "");
  EXPECT_EQ(content->records.size(), 10u);
}

TEST_F(Journal, KeepsAllBeforeATornTailAndNamesIt) {
  { const JournalWriter writer = written(10); }
  const fs::path file = directory_ / "run.journal";
  fs::resize_file(file, fs::file_size(file) - 1);
  const Result<JournalContent> content = read_journal(directory_);
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->records.size(), 9u);
  EXPECT_NE(content->damage.find("torn record at byte"), std::string::npos);
}

TEST_F(Journal, StopsAtAFlippedBit) {
  { const JournalWriter writer = written(10); }
  const fs::path file = directory_ / "run.journal";
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(-1, std::ios::end);
  stream.put('\x7f');
  stream.close();
  const Result<JournalContent> content = read_journal(directory_);
  ASSERT_TRUE(content.has_value());
  EXPECT_EQ(content->records.size(), 9u);
  EXPECT_NE(content->damage.find("damaged record"), std::string::npos);
}

TEST_F(Journal, WritesOverNoOther) {
  { const JournalWriter writer = written(1); }
  EXPECT_FALSE(JournalWriter::create(directory_).has_value());
}

TEST_F(Journal, StaysReadableWhereTheCompressedFileCannotBeWritten) {
  JournalWriter writer = written(10);
  fs::create_directory(directory_ / "run.journal.zst.part");
  const Result<void> closed = writer.close();
  ASSERT_FALSE(closed.has_value());
  EXPECT_NE(closed.error().where.find("run.journal.zst"), std::string::npos);
  EXPECT_EQ(read_journal(directory_)->records.size(), 10u);
}

TEST_F(Journal, CompressedFileThatWasCutIsNoJournal) {
  JournalWriter writer = written(100);
  ASSERT_TRUE(writer.close());
  const fs::path file = directory_ / "run.journal.zst";
  fs::resize_file(file, fs::file_size(file) - 5);
  EXPECT_FALSE(read_journal(directory_).has_value());
}

TEST_F(Journal, SaysThatItsFolderCannotBeMade) {
  std::ofstream(directory_) << "a file in its place";
  const Result<JournalWriter> writer = JournalWriter::create(directory_);
  ASSERT_FALSE(writer.has_value());
  EXPECT_NE(writer.error().message.find("cannot be made"), std::string::npos);
}

TEST_F(Journal, SaysWhatIsMissingWhereThereIsNone) {
  const Result<JournalContent> content = read_journal(directory_ / "nowhere");
  ASSERT_FALSE(content.has_value());
  EXPECT_NE(content.error().message.find("expected run.journal"), std::string::npos);
}

}  // namespace
}  // namespace troupe
