// SPDX-License-Identifier: Apache-2.0
// This test checks that the search finds schedules that are fast for other reasons than their
// microkernel.
#include "search.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cost.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

/// Returns the best prediction of the plan divided by the prediction of `schedule`.
double best_over(const std::string& problem, const Machine& machine, int threads,
                 const std::string& schedule) {
  const Problem parsed = parse_problem(problem);
  const Plan found = plan(parsed, machine, {.threads = threads});
  Machine used = machine;
  used.cores = threads;
  const double other = predict(computation_of(parsed), parse_schedule(schedule), used).seconds;
  return found.certificate.optimum / other;
}

}  // namespace

TEST_CASE("search: tiles of few calls are found where what lies between calls takes most time") {
  CHECK(best_over("mb1ic1ih17oc16oh17kh3ph1", load_machine("epyc-7282"), 1,
                  "[T(17,h), L(w,[1*8,1*9]), T(2,k), T(3,s), T(3,r), U(w), V(k)] in=nhwc "
                  "out=nhwc") <= 1);
}

TEST_CASE("search: small tiles are found where large ones leave cores idle") {
  const Machine machine = load_machine("xeon-gold-6130");
  CHECK(best_over("m24n16k4096", machine, 16, "[P(12,i), T(4096,k), U(2,i), V(j)] prefetch=8") <=
        1);
  CHECK(best_over("mb1ic1024ih5oc16oh5kh3ph1", machine, 16,
                  "[P(5,h), T(3,r), T(3,s), T(1024,c), U(5,w), V(k)] in=nhwc out=nhwc") <= 1);
}

TEST_CASE("search: two sizes along one dimension are chosen so that cores get equal work") {
  // Seven cores share 29 vectors of channels. The pair of sizes that is fastest on one core makes
  // only five calls, so that two cores would be idle.
  CHECK(best_over("mb1ic512ih3oc225oh1kh2ph0dh1", load_machine("epyc-7282"), 7,
                  "[P(k,[1*5,6*4]), T(2,s), T(2,r), T(512,c), U(k), V(k)] in=nhwc out=nhwc "
                  "prefetch=8") <= 1);
}

TEST_CASE("search: a column of C takes no longer than two columns, whatever its length") {
  // No register tile of more than two rows divides 1894 = 2 * 947 rows, so tiles of two sizes cover
  // them. Vectors along the column take fewer cycles than vectors along the rows, which use only
  // one lane, but have to pack all of A.
  const Machine machine = load_machine("epyc-7282");
  const auto best = [&](const std::string& problem) {
    return plan(parse_problem(problem), machine).candidates.front().prediction.seconds;
  };
  CHECK(best("m1894n1k796") <= 1.01 * best("m1894n2k796"));
}

TEST_CASE("search: rejected schedules of narrow vectors are counted too") {
  Candidates wide, narrow;
  wide.reasons["cut"] = 1;
  narrow.reasons["cut"] = 2;
  narrow.reasons["padding"] = 3;
  narrow.scored.push_back({.schedule = {}, .prediction = {.seconds = 2}, .measurement = {}});
  wide.add(narrow);
  CHECK(wide.reasons.at("cut") == 3);
  CHECK(wide.reasons.at("padding") == 3);
  CHECK(wide.best_seconds == 2);
}
