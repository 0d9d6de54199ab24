#include "emulator/live/inbox_journal.h"

#include <gtest/gtest.h>

#include <fstream>

#include "messages/address.h"

namespace troupe::live {
namespace {

namespace fs = std::filesystem;

class InboxJournalTest : public testing::Test {
 protected:
  InboxJournalTest() {
    std::string name = testing::TempDir() + "inbox-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~InboxJournalTest() override { fs::remove_all(folder_); }

  static inbox::Record birth(const std::string& host, std::uint32_t epoch) {
    inbox::Record record;
    record.mutable_birth()->set_host(host);
    record.mutable_birth()->set_epoch(epoch);
    return record;
  }
  static inbox::Record delivery(const std::string& host, std::int64_t time) {
    inbox::Record record;
    record.mutable_delivery()->set_host(host_hash(host));
    record.mutable_delivery()->mutable_event()->mutable_key()->set_time_ns(time);
    return record;
  }
  fs::path folder_;
};

TEST_F(InboxJournalTest, ASuccessorGoesOnWithTheFold) {
  Digest before;
  {
    Result<InboxJournal> journal = InboxJournal::create(folder_, 0, 0);
    ASSERT_TRUE(journal.has_value());
    journal->append(birth("node/a", 0));
    journal->append(delivery("node/a", 1));
    EXPECT_TRUE(journal->flush());
    before = journal->fold().digest();
    // It dies here: the segment is not closed.
  }
  Result<InboxJournal> successor = InboxJournal::create(folder_, 0, 1);
  ASSERT_TRUE(successor.has_value());
  EXPECT_EQ(successor->fold().digest(), before);
  EXPECT_EQ(successor->fold().delivered(), 1u);
  successor->append(birth("node/a", 1));
  successor->append(delivery("node/a", 2));
  ASSERT_TRUE(successor->close().has_value());
  EXPECT_EQ(inbox_files(folder_).stems,
            (std::vector<std::string>{"inbox-000-0000-00000", "inbox-000-0001-00000"}));
}

TEST_F(InboxJournalTest, ATornTailIsNamedAndTheRestIsRead) {
  {
    Result<InboxJournal> journal = InboxJournal::create(folder_, 0, 0);
    ASSERT_TRUE(journal.has_value());
    journal->append(birth("node/a", 0));
    journal->append(delivery("node/a", 1));
    journal->append(delivery("node/a", 2));
    EXPECT_TRUE(journal->flush());
  }
  const fs::path file = folder_ / "inbox-000-0000-00000.journal";
  fs::resize_file(file, fs::file_size(file) - 3);
  int records = 0;
  const Result<std::string> damage =
      read_inbox(folder_, "inbox-000-0000-00000", [&records](const auto&) { ++records; });
  ASSERT_TRUE(damage.has_value());
  EXPECT_TRUE(damage->starts_with("torn record at byte")) << *damage;
  EXPECT_EQ(records, 2);
}

TEST(InboxFold, NeedsNoOrderAmongHostsAndOneWithin) {
  const auto record = [](const std::string& host, std::int64_t time) {
    inbox::Record one;
    one.mutable_delivery()->set_host(host_hash(host));
    one.mutable_delivery()->mutable_event()->mutable_key()->set_time_ns(time);
    return one;
  };
  const auto fold = [](const std::vector<inbox::Record>& records) {
    InboxFold one;
    for (const inbox::Record& r : records) one.add(r);
    return one.digest();
  };
  const auto a1 = record("node/a", 1);
  const auto a2 = record("node/a", 2);
  const auto b1 = record("node/b", 1);
  EXPECT_EQ(fold({a1, a2, b1}), fold({a1, b1, a2}));
  EXPECT_NE(fold({a1, a2, b1}), fold({a2, a1, b1}));
  EXPECT_NE(fold({a1, a2}), fold({a1, a2, b1}));
}

}  // namespace
}  // namespace troupe::live
