// SPDX-License-Identifier: Apache-2.0
// This test compares the texts that the verbs print with golden files.
#include <doctest/doctest.h>

#include <string>

#include "golden.h"
#include "program.h"

using namespace tileplan::test;

namespace {

void check_output(const std::string& name, const std::string& arguments) {
  const Outcome outcome = run_program(arguments);
  CAPTURE(arguments);
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  check_golden(name, outcome.out);
}

}  // namespace

TEST_CASE("golden: the help of every verb") {
  check_output("help/tileplan.txt", "--help");
  for (const std::string verb :
       {"plan", "run", "bench", "calibrate", "study", "measure", "records", "emit", "explain",
        "report", "candidates", "movement", "classes", "bound"})
    check_output("help/" + verb + ".txt", verb + " --help");
  for (const std::string verb : {"list", "export", "merge"})
    check_output("help/records_" + verb + ".txt", "records " + verb + " --help");
}

TEST_CASE("golden: explain of a schedule with two register tiles, as text and as JSON") {
  const std::string arguments =
      "explain mb1ic64ih17oc64oh17kh3ph1 '[T(17,h), T(2,k), L(w,[1*8,1*9]), T(3,r), T(3,s), "
      "T(64,c), U(w), U(2,k), V(k)] in=nhwc out=nhwc' --machine xeon-gold-6130";
  check_output("explain.txt", arguments);
  check_output("explain.json", arguments + " --json");
}

TEST_CASE("golden: a list of candidates for another tuner") {
  check_output("candidates.jsonl", "candidates yolo9000-12 --top 5 --machine xeon-gold-6130");
}
