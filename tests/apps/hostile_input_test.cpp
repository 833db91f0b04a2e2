// SPDX-License-Identifier: Apache-2.0
// This test checks that the program refuses malicious files, prints no control bytes and only short
// messages, and plans and measures when it cannot store records.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "contains.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Checks that the program refuses `arguments` with a short line on stderr besides notes, and
/// returns stderr.
std::string refusal_of(const std::string& arguments) {
  const Outcome outcome = run_program(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(error_lines(outcome.err) == 1);
  CHECK(outcome.err.size() < 1000);
  return outcome.err;
}

/// Runs the program by env(1). `environment` holds options and assignments NAME=VALUE for env, and
/// may end in a command that runs the program.
Outcome run_in(const std::string& environment, const std::string& arguments) {
  const TemporaryFolder folder;
  const std::string out = folder / "out", err = folder / "err";
  const std::string command =
      "env " + environment + " " TILEPLAN_PROGRAM " " + arguments + " >" + out + " 2>" + err;
  const int status = std::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  return {.status = WEXITSTATUS(status), .out = content_of(out), .err = content_of(err)};
}

const std::string kMeasure = "plan m16n32k8 --verify 1 --budget 0.5";

}  // namespace

TEST_CASE("JSON of 100,000 levels is refused by every reader, with the file and the rule") {
  const TemporaryFolder folder;
  const std::string deep = folder.write("deep", std::string(100'000, '[') + "\n");
  const std::string rule = ": JSON nested deeper than 64 levels; must be nested less\n";
  CHECK(refusal_of("run --plan " + deep) == "tileplan: " + deep + rule);
  CHECK(refusal_of("plan m8n8k8 --machine " + deep) == "tileplan: " + deep + rule);
  CHECK(refusal_of("records merge " + deep) == "tileplan: " + deep + ": line 1" + rule);
}

TEST_CASE("a device without an end is no machine") {
  CHECK(refusal_of("plan m8n8k8 --machine /dev/zero") ==
        "tileplan: /dev/zero: has more than 268435456 bytes; must be a machine file\n");
}

TEST_CASE("a convolution with a prime of 10^8 rows is planned in seconds") {
  const std::string problem = "mb1ic1ih100000007oc1oh100000007kh1";
  CHECK(run_program("plan " + problem + " --machine xeon-gold-6130").status == 0);
}

TEST_CASE("records are optional: without a home, and where nothing can be written") {
  for (const char* environment :
       {"-u HOME -u XDG_CACHE_HOME", "XDG_CACHE_HOME=/proc/nothing", "XDG_CACHE_HOME=/dev/null"}) {
    const Outcome outcome = run_in(environment, kMeasure);
    CAPTURE(environment);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
    CHECK(contains(outcome.err, "note: measuring without records: "));
    CHECK(contains(outcome.out, "measured in "));
  }
  CHECK(contains(refusal_of(kMeasure + " --records /proc/nothing/r.db"), "/proc/nothing/r.db: "));
}

TEST_CASE("records: a disk that is full while storing loses no measurement") {
  const TemporaryFolder folder;
  const std::string cache = folder.path().string();
  REQUIRE(run_in("XDG_CACHE_HOME=" + cache, "records list").status == 0);
  // The shell ignores SIGXFSZ, so writes beyond the limit of the file size fail as on a full disk.
  const Outcome outcome = run_in(
      "XDG_CACHE_HOME=" + cache + " bash -c 'trap \"\" XFSZ; ulimit -f 20; exec \"$@\"' limited",
      kMeasure);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "measured in "));
}

TEST_CASE("names of layers stay text: control bytes, tags and formulas do nothing") {
  const TemporaryFolder folder;
  const std::string table =
      folder.write("net.csv", "name,problem\n=\x1b[31m<script>,m16n32k8\nplain,m16n32k16\n");
  for (const char* form : {"md", "csv"}) {
    const std::string page = folder / (std::string("page.") + form);
    std::string command = "report " + table;
    command += " --machine xeon-gold-6130 -o " + page;
    const Outcome made = run_program(command);
    CHECK(made.status == 0);
    const std::string all = made.out + made.err + content_of(page);
    CHECK(all.find('\x1b') == std::string::npos);
    CHECK(content_of(page).find("\n=") == std::string::npos);
    if (form[0] == 'm') CHECK(content_of(page).find("<script>") == std::string::npos);
  }
  CHECK(refusal_of("plan 'm16\x1b[31m'").find('\x1b') == std::string::npos);
}

TEST_CASE("an output that is also read is refused before anything is written") {
  const TemporaryFolder folder;
  const std::string table = folder.write("net.md", "name,problem\na,m16n32k8\n");
  std::filesystem::create_symlink(table, folder / "net.csv");
  const std::string report = "report " + (folder / "net.csv") + " --machine xeon-gold-6130 -o ";
  CHECK(contains(refusal_of(report + table), "is read too"));
  CHECK(content_of(table) == "name,problem\na,m16n32k8\n");
}

TEST_CASE("messages of any length are one line of at most 600 bytes and the words around it") {
  CHECK(refusal_of("plan " + std::string(100'000, 'q')).size() < 700);
}
