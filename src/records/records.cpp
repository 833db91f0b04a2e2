// SPDX-License-Identifier: Apache-2.0
// This file stores records with SQLite. Its write-ahead log lets readers and a writer work at the
// same time.
#include "tileplan/records.h"

#include <sqlite3.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <sstream>
#include <thread>

#include "record_lines.h"
#include "shortened.h"
#include "tileplan/error.h"
#include "tileplan/machine.h"

namespace tileplan {
namespace {

// Limits the time that an operation waits for the lock of the database.
constexpr int kBusyMilliseconds = 10'000;
constexpr int kFormat = 1;  // The database stores this number of its format as user_version.

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS measurements("
    "problem TEXT NOT NULL, schedule TEXT NOT NULL, machine TEXT NOT NULL, regime TEXT NOT NULL, "
    "version TEXT NOT NULL, taken TEXT NOT NULL, samples TEXT NOT NULL, failure TEXT NOT NULL, "
    "UNIQUE(problem, schedule, machine, regime, version, taken));"
    "PRAGMA user_version=1;";

constexpr const char* kInsert = "INSERT OR IGNORE INTO measurements VALUES(?, ?, ?, ?, ?, ?, ?, ?)";

constexpr const char* kSelect =
    "SELECT rowid, problem, schedule, machine, regime, version, taken, samples, failure FROM "
    "measurements "
    "WHERE (?1 = '' OR problem = ?1) AND (?2 = '' OR schedule = ?2) AND (?3 = '' OR machine = ?3) "
    "AND (?4 = '' OR regime = ?4) AND (?5 = '' OR version = ?5) AND taken >= ?6 "
    "ORDER BY taken, problem, schedule";

/// Holds a database and the path that its errors name.
struct Connection {
  const std::string& path;
  sqlite3* database;

  [[noreturn]] void fail() const {
    throw Error(path + ": " + (database != nullptr ? sqlite3_errmsg(database) : "out of memory") +
                "; must be a database of measurements that can be written");
  }
  void execute(const char* statement) const {
    if (sqlite3_exec(database, statement, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }
};

/// Turns the write-ahead log on. The pragma is retried, because SQLite returns an error while
/// another process creates the database.
void use_write_ahead_log(const Connection& connection) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  while (sqlite3_exec(connection.database, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr) !=
         SQLITE_OK) {
    const int why = sqlite3_errcode(connection.database);
    const bool passes = why == SQLITE_BUSY || why == SQLITE_IOERR;
    if (!passes || std::chrono::steady_clock::now() > end) connection.fail();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

class Statement {
 public:
  Statement(const Connection& connection, const char* text) : connection_(connection) {
    if (sqlite3_prepare_v2(connection.database, text, -1, &statement_, nullptr) != SQLITE_OK)
      connection.fail();
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(statement_); }

  void bind(int place, const std::string& text) {
    if (sqlite3_bind_text(statement_, place, text.data(), static_cast<int>(text.size()),
                          SQLITE_TRANSIENT) != SQLITE_OK)
      connection_.fail();
  }
  bool step() {
    const int result = sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE) connection_.fail();
    return result == SQLITE_ROW;
  }
  void reset() { sqlite3_reset(statement_); }
  std::string text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return text == nullptr ? "" : std::string(text, sqlite3_column_bytes(statement_, column));
  }
  /// Returns the integer in the first column of the current row.
  std::int64_t number() const { return sqlite3_column_int64(statement_, 0); }

 private:
  const Connection& connection_;
  sqlite3_stmt* statement_ = nullptr;
};

/// Rolls back the open transaction in the destructor. After a COMMIT, no transaction is open.
struct Rollback {
  sqlite3* database;
  ~Rollback() { sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr); }
};

/// Runs `body` in a transaction. If `body` throws, the transaction is rolled back.
template <class Body>
void in_transaction(const Connection& connection, const Body& body) {
  connection.execute("BEGIN IMMEDIATE");
  const Rollback rollback{connection.database};
  body();
  connection.execute("COMMIT");
}

/// Throws Error unless the database is new or holds measurements in a format that this code reads.
void check_format(const Connection& connection) {
  const auto number_of = [&](const char* query) {
    Statement statement(connection, query);
    return statement.step() ? statement.number() : 0;
  };
  if (number_of("SELECT count(*) > 0 AND sum(name = 'measurements') = 0 "
                "FROM sqlite_master WHERE type = 'table'") != 0)
    throw Error(connection.path + ": holds other tables; must be a database of measurements");
  const std::int64_t format = number_of("PRAGMA user_version");
  if (format > kFormat)
    throw Error(connection.path + ": format " + std::to_string(format) + "; this version reads " +
                std::to_string(kFormat));
}

/// Returns the current row of `select`, which executes kSelect. Throws Error when it is malformed.
Record record_at(const Statement& select) {
  Record record;
  int column = 0;
  const auto next_text = [&](const char* name) {
    std::string text = select.text(++column);
    if (printable(text) != text)
      throw Error(std::string(name) + ": is no UTF-8 or has control characters; must be text");
    return text;
  };
  for (const auto& [name, field] : kRecordKeys) record.*field = next_text(name);
  record.samples = parse_samples(next_text("samples"));
  record.failure = next_text("failure");
  return record;
}

}  // namespace

Records::Records(const std::string& path) : path_(path), database_(nullptr, sqlite3_close) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw Error(path + ": its folder cannot be made (" + error.message() + ")");
  sqlite3* database = nullptr;
  const int result = sqlite3_open(path.c_str(), &database);
  database_.reset(database);
  const Connection connection{path_, database};
  if (result != SQLITE_OK) connection.fail();
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  check_format(connection);
  use_write_ahead_log(connection);
  // With a write-ahead log, this setting loses nothing when a process is killed.
  connection.execute("PRAGMA synchronous=NORMAL");
  in_transaction(connection, [&] { connection.execute(kTable); });
}

std::size_t Records::add(std::span<const Record> records) {
  const Connection connection{path_, database_.get()};
  std::size_t added = 0;
  in_transaction(connection, [&] {
    Statement insert(connection, kInsert);
    for (const Record& record : records) {
      int place = 0;
      for (const auto& key : kRecordKeys) insert.bind(++place, record.*key.second);
      insert.bind(++place, samples_text(record.samples));
      insert.bind(++place, record.failure);
      insert.step();
      insert.reset();
      added += static_cast<std::size_t>(sqlite3_changes(database_.get()));
    }
  });
  return added;
}

std::vector<Record> Records::find(const RecordFilter& filter, const WarnOfRow& warn) const {
  const Connection connection{path_, database_.get()};
  Statement select(connection, kSelect);
  int place = 0;
  for (const std::string& text : {filter.problem, filter.schedule, filter.machine, filter.regime,
                                  filter.version, filter.since})
    select.bind(++place, text);
  std::vector<Record> found;
  while (select.step()) {
    try {
      found.push_back(record_at(select));
    } catch (const Error& error) {
      const std::string row = path_ + ": row " + std::to_string(select.number()) + ": ";
      if (!warn) throw Error(row + error.what());
      warn(row + error.what());
    }
  }
  return found;
}

std::size_t Records::merge(const std::string& other, const WarnOfRow& warn) {
  if (!std::filesystem::exists(other))
    throw Error(other + ": is not there; must be a database of measurements");
  return add(Records(other).find({}, warn));
}

std::string records_path() {
  return (std::filesystem::path(machine_cache_path()).parent_path() / "records.db").string();
}

std::string utc_time(double seconds_ago) {
  using std::chrono::microseconds;
  constexpr std::int64_t kPerSecond = 1'000'000;
  const std::int64_t now =
      std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count() -
      static_cast<std::int64_t>(seconds_ago * kPerSecond);
  const std::time_t seconds = now / kPerSecond;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::ostringstream text;
  text << std::put_time(&utc, "%Y-%m-%dT%H:%M:%S.") << std::setfill('0') << std::setw(6)
       << now % kPerSecond << 'Z';
  return text.str();
}

}  // namespace tileplan
