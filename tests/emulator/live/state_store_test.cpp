#include "emulator/live/state_store.h"

#include <gtest/gtest.h>

namespace troupe::live {
namespace {

namespace fs = std::filesystem;

class StateStoreTest : public testing::Test {
 protected:
  StateStoreTest() {
    std::string name = testing::TempDir() + "state-" + std::string(6, 'X');
    folder_ = mkdtemp(name.data());
  }
  ~StateStoreTest() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(StateStoreTest, GivesBackWhatWasCommitted) {
  const std::string binary("a\0b", 3);
  {
    Result<StateStore> store = StateStore::open(folder_ / "it");
    ASSERT_TRUE(store.has_value());
    ASSERT_TRUE(store
                    ->commit({{"node/a", "start of a"}, {"node/b", "start of b"}},
                             {{"node/a", "node/a/gpu/0", "faulty", binary},
                              {"node/a", "node/a", "k", "old"},
                              {"node/b", "node/b", "k", "v"}})
                    .has_value());
    ASSERT_TRUE(store
                    ->commit({{"node/b", ""}},
                             {{"node/a", "node/a", "k", "new"}, {"node/b", "node/b", "k", ""}})
                    .has_value());
  }
  const Result<StateStore> store = StateStore::open(folder_ / "it");
  ASSERT_TRUE(store.has_value());
  const Result<std::vector<StateStore::Host>> hosts = store->hosts();
  ASSERT_TRUE(hosts.has_value());
  ASSERT_EQ(hosts->size(), 2u);
  EXPECT_EQ((*hosts)[0].start, "start of a");
  EXPECT_EQ((*hosts)[0].persisted.at("node/a").at("k"), "new");
  EXPECT_EQ((*hosts)[0].persisted.at("node/a/gpu/0").at("faulty"), binary);
  EXPECT_EQ((*hosts)[1].start, "") << "it has stopped for good";
  EXPECT_TRUE((*hosts)[1].persisted.empty());
}

TEST_F(StateStoreTest, AFileThatIsNoneIsRefused) {
  EXPECT_FALSE(StateStore::open(folder_ / "no" / "such" / "folder").has_value());
}

}  // namespace
}  // namespace troupe::live
