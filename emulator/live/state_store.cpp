#include "emulator/live/state_store.h"

#include <sqlite3.h>

namespace troupe::live {
namespace {

constexpr const char* kSchema =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=NORMAL;"
    "PRAGMA wal_autocheckpoint=16384;"  // pages: a checkpoint waits for the disk, and all with it
    "CREATE TABLE IF NOT EXISTS hosts(path TEXT PRIMARY KEY, start BLOB NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS entries(host TEXT, actor TEXT, key TEXT, bytes BLOB NOT NULL,"
    "  PRIMARY KEY(host, actor, key)) WITHOUT ROWID;";

}  // namespace

struct StateStore::Database {
  // One prepared statement, for as long as the database is open.
  class Statement {
   public:
    Statement(sqlite3* database, const char* sql) {
      sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
    }
    ~Statement() { sqlite3_finalize(statement_); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    void bind(int index, const std::string& text) {
      sqlite3_bind_text64(statement_, index, text.data(), text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
    }
    void bind_bytes(int index, const std::string& bytes) {
      sqlite3_bind_blob64(statement_, index, bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    }
    bool run() {
      const bool done = sqlite3_step(statement_) == SQLITE_DONE;
      sqlite3_reset(statement_);
      return done;
    }
    bool next() { return sqlite3_step(statement_) == SQLITE_ROW; }
    [[nodiscard]] std::string column(int index) const {
      const void* const bytes = sqlite3_column_blob(statement_, index);
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, index));
      return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size);
    }

   private:
    sqlite3_stmt* statement_ = nullptr;
  };

  explicit Database(std::string path) : file(std::move(path)) {}
  ~Database() {
    begin.reset();
    end.reset();
    host.reset();
    put.reset();
    erase.reset();
    sqlite3_close(handle);
  }
  [[nodiscard]] tl::unexpected<Error> error() const { return fail(sqlite3_errmsg(handle), file); }

  std::string file;
  sqlite3* handle = nullptr;
  std::unique_ptr<Statement> begin;
  std::unique_ptr<Statement> end;
  std::unique_ptr<Statement> host;
  std::unique_ptr<Statement> put;
  std::unique_ptr<Statement> erase;
};

StateStore::StateStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
StateStore::~StateStore() = default;
StateStore::StateStore(StateStore&&) noexcept = default;
StateStore& StateStore::operator=(StateStore&&) noexcept = default;

Result<StateStore> StateStore::open(const std::filesystem::path& file) {
  auto database = std::make_unique<Database>(file.string());
  if (sqlite3_open(database->file.c_str(), &database->handle) != SQLITE_OK ||
      sqlite3_exec(database->handle, kSchema, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return database->error();
  }
  const auto prepare = [&database](const char* sql) {
    return std::make_unique<Database::Statement>(database->handle, sql);
  };
  database->begin = prepare("BEGIN");
  database->end = prepare("COMMIT");
  database->host = prepare("INSERT OR REPLACE INTO hosts(path, start) VALUES(?, ?)");
  database->put =
      prepare("INSERT OR REPLACE INTO entries(host, actor, key, bytes) VALUES(?, ?, ?, ?)");
  database->erase = prepare("DELETE FROM entries WHERE host = ? AND actor = ? AND key = ?");
  return StateStore(std::move(database));
}

Result<void> StateStore::commit(const std::vector<Begun>& begun, const std::vector<Write>& writes) {
  bool ok = database_->begin->run();
  for (const Begun& one : begun) {
    database_->host->bind(1, one.host);
    database_->host->bind_bytes(2, one.start);
    ok = database_->host->run() && ok;
  }
  for (const Write& write : writes) {
    Database::Statement& statement = write.bytes.empty() ? *database_->erase : *database_->put;
    statement.bind(1, write.host);
    statement.bind(2, write.actor);
    statement.bind(3, write.key);
    if (!write.bytes.empty()) statement.bind_bytes(4, write.bytes);
    ok = statement.run() && ok;
  }
  if (ok && database_->end->run()) return {};
  const auto error = database_->error();
  sqlite3_exec(database_->handle, "ROLLBACK", nullptr, nullptr, nullptr);
  return error;
}

Result<std::vector<StateStore::Host>> StateStore::hosts() const {
  std::map<std::string, Host> hosts;
  Database::Statement starts(database_->handle, "SELECT path, start FROM hosts");
  while (starts.next()) {
    const std::string path = starts.column(0);
    hosts[path] = {path, starts.column(1), {}};
  }
  Database::Statement entries(database_->handle, "SELECT host, actor, key, bytes FROM entries");
  while (entries.next()) {
    const auto host = hosts.find(entries.column(0));
    if (host == hosts.end()) continue;
    host->second.persisted[entries.column(1)][entries.column(2)] = entries.column(3);
  }
  std::vector<Host> all;
  for (auto& [path, host] : hosts) all.push_back(std::move(host));
  return all;
}

}  // namespace troupe::live
