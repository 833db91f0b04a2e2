// SPDX-License-Identifier: Apache-2.0
// Tests what the program says about files and problems that attack it.
#include <doctest/doctest.h>

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
