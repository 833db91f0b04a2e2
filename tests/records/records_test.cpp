// SPDX-License-Identifier: Apache-2.0
// This test checks the database of measurements with several writers, killed writers, JSON lines
// and errors.
#include "tileplan/records.h"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "error_of.h"
#include "record_lines.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

Record record(const std::string& schedule,
              const std::string& taken = "2026-11-21T00:00:00.000001Z") {
  return {.problem = "m64n64k64",
          .schedule = schedule,
          .machine = "toy",
          .regime = "hot",
          .version = "0.1.0 (abc)",
          .taken = taken,
          .samples = {0.1, 1e-6 / 3},
          .failure = ""};
}

/// Adds `count` records one by one, or records without end if `count` is negative. Writes a byte to
/// the file descriptor `acknowledge` after each record, unless it is negative. Ends the process
/// afterwards.
[[noreturn]] void keep_adding(const std::string& path, const std::string& name, int count,
                              int acknowledge) {
  Records records(path);
  for (int i = 0; i != count; ++i) {
    const Record one = record(name + std::to_string(i));
    records.add({&one, 1});
    if (acknowledge >= 0 && write(acknowledge, "x", 1) != 1) _exit(1);
  }
  _exit(0);
}

pid_t start_writer(const std::string& path, const std::string& name, int count, int acknowledge) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) keep_adding(path, name, count, acknowledge);
  return child;
}

void change(const std::string& path, const char* statement) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, statement, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

bool is_intact(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  std::string answer;
  sqlite3_exec(
      database, "PRAGMA integrity_check",
      [](void* text, int, char** values, char**) {
        *static_cast<std::string*>(text) += values[0];
        return 0;
      },
      &answer, nullptr);
  sqlite3_close(database);
  return answer == "ok";
}

}  // namespace

TEST_CASE("records: what is added is found again, exactly, and once") {
  const TemporaryFolder folder;
  const std::string path = folder / "new/folder/records.db";
  const std::vector<Record> two{record("b"), record("a")};
  CHECK(Records(path).add(two) == 2);
  Records records(path);
  CHECK(records.add(two) == 0);
  CHECK(records.find() == std::vector<Record>{record("a"), record("b")});
  Record failed = record("c", "2026-11-22T00:00:00.000000Z");
  failed.samples.clear();
  failed.failure = "killed by signal 11 (Segmentation fault)";
  CHECK(records.add({&failed, 1}) == 1);
  CHECK(records.find({.schedule = "c"}) == std::vector<Record>{failed});
  CHECK(records.find({.since = "2026-11-21T12"}) == std::vector<Record>{failed});
  CHECK(records.find({.problem = "m64n64k64", .machine = "other"}).empty());
}

TEST_CASE("records: three processes write into a new database at once, and nothing is lost") {
  const TemporaryFolder folder;
  const std::string path = folder / "records.db";
  constexpr int kEach = 100;
  std::vector<pid_t> writers;
  for (const char* name : {"a", "b", "c"}) writers.push_back(start_writer(path, name, kEach, -1));
  for (const pid_t writer : writers) CHECK(status_of(writer) == 0);
  CHECK(Records(path).find().size() == writers.size() * kEach);
  CHECK(is_intact(path));
}

TEST_CASE("records: 20 kills in the middle of writing lose nothing that was acknowledged") {
  const TemporaryFolder folder;
  const std::string path = folder / "records.db";
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::size_t acknowledged = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = start_writer(path, std::to_string(kill_number) + "-", -1, ends[1]);
    close(ends[1]);
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::uniform_int_distribution<int>(1, 60'000)(random)));
    kill(child, SIGKILL);
    CHECK(WTERMSIG(status_of(child)) == SIGKILL);
    char bytes[4096];
    for (ssize_t got; (got = read(ends[0], bytes, sizeof bytes)) > 0;)
      acknowledged += static_cast<std::size_t>(got);
    close(ends[0]);
    CHECK(is_intact(path));
    CHECK(Records(path).find().size() >= acknowledged);
  }
  CHECK(acknowledged > 0);
}

TEST_CASE("records: two databases are merged, and merging again adds nothing") {
  const TemporaryFolder folder;
  Records here(folder / "here.db");
  const std::vector<Record> common{record("a"), record("b")}, theirs{record("b"), record("c")};
  here.add(common);
  Records(folder / "there.db").add(theirs);
  CHECK(here.merge(folder / "there.db") == 1);
  CHECK(here.merge(folder / "there.db") == 0);
  CHECK(here.find().size() == 3);
  CHECK(error_of([&] { here.merge(folder / "nothing.db"); }).find("nothing.db: is not there") !=
        std::string::npos);
}

TEST_CASE("records: a file that is something else, or of a later format, is refused") {
  const TemporaryFolder folder;
  const std::string path = folder.write("text.db", std::string(4096, 'x'));
  CHECK(error_of([&] { const Records refused(path); }) ==
        path + ": file is not a database; must be a database of measurements that can be written");
  const std::string later = folder / "later.db";
  { const Records made(later); }
  change(later, "PRAGMA user_version=2");
  CHECK(error_of([&] { const Records refused(later); }) ==
        later + ": format 2; this version reads 1");
}

TEST_CASE("records: a database of something else is refused and left as it was") {
  const TemporaryFolder folder;
  const std::string foreign = folder / "foreign.db";
  change(foreign, "CREATE TABLE people(name TEXT)");
  const std::string before = content_of(foreign);
  Records here(folder / "here.db");
  CHECK(error_of([&] { here.merge(foreign); }) ==
        foreign + ": holds other tables; must be a database of measurements");
  CHECK(content_of(foreign) == before);
}

TEST_CASE("record lines: JSON and back, every digit kept") {
  const std::vector<Record> records{record("[T(2,i), V(j)]"), record("b")};
  const std::string lines = to_json_lines(records);
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 2);
  CHECK(parse_json_lines(lines, "") == records);
}

TEST_CASE("record lines: errors name the line, the field and the rule") {
  const auto error = [](const std::string& text) {
    return error_of([&] { parse_json_lines(text, "f.jsonl"); });
  };
  CHECK(error("\n{") == "f.jsonl: line 2: not JSON; must be a line of records export");
  CHECK(error("{}") == "f.jsonl: line 1: problem: missing; must be a text");
  CHECK(error(R"({"problem": 5})") == "f.jsonl: line 1: problem: 5; must be a text");
  Record other = record("a");
  other.problem = "mb1ic-5";
  CHECK(error(to_json_lines({other})).starts_with("f.jsonl: line 1: problem \"mb1ic-5\": "));
  other = record("a");
  other.machine = "host\x1b[31m";
  CHECK(error(to_json_lines({other})) ==
        "f.jsonl: line 1: machine: has control characters; must be text without any");
  other = record("a");
  other.regime = "warm";
  CHECK(error(to_json_lines({other})).find("'warm'; must be hot") != std::string::npos);
  std::string lines = to_json_lines({record("a")});
  lines.replace(lines.find("[0.1"), 4, "[-1.");
  CHECK(error(lines) == "f.jsonl: line 1: not JSON; must be a line of records export");
  lines.replace(lines.find("[-1."), 4, "[-10");
  CHECK(error(lines) == "f.jsonl: line 1: samples: -10; must be seconds above 0");
  Record both = record("a");
  both.failure = "crashed";
  CHECK(error(to_json_lines({both})) ==
        "f.jsonl: line 1: failure: 'crashed' beside 2 samples; must be one or the other");
}
