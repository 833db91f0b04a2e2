// SPDX-License-Identifier: Apache-2.0
// Tests what the program says about files and problems that attack it, and without a place for
// records.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "contains.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Checks that the program refuses `arguments` with one short line, and returns it.
std::string refusal_of(const std::string& arguments) {
  const Outcome outcome = run_program(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(error_lines(outcome.err) == 1);
  CHECK(outcome.err.size() < 1000);
  return outcome.err;
}

/// Runs the program with `environment` in front, which env(1) reads.
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
  CHECK(refusal_of("records import " + deep) == "tileplan: " + deep + ": line 1" + rule);
}

TEST_CASE("a device without an end is no machine") {
  CHECK(refusal_of("plan m8n8k8 --machine /dev/zero") ==
        "tileplan: /dev/zero: has more than 268435456 bytes; must be a machine file\n");
}

TEST_CASE("a convolution with a prime of 10^9 rows is planned in seconds") {
  const std::string problem = "mb1ic1ih1000000007oc1oh1000000007kh1";
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
  // Writes beyond the limit fail, as on a full disk, where their signal is ignored.
  const Outcome outcome = run_in(
      "XDG_CACHE_HOME=" + cache + " bash -c 'trap \"\" XFSZ; ulimit -f 20; exec \"$@\"' limited",
      kMeasure);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.out, "measured in "));
}
