// SPDX-License-Identifier: Apache-2.0
// This test checks that texts on which isl would run for tens of seconds are refused within 5 s,
// and that other problems are not refused.
#include "isl_limits.h"

#include <doctest/doctest.h>

#include <chrono>

#include "computation.h"
#include "contains.h"
#include "error_of.h"

using namespace tileplan;

namespace {

/// Returns the error for a matrix product with the iteration domain `domain` and the accesses
/// `reads`, or "" if there is none. Checks that the error is short and appears within 5 s.
std::string complaint(const std::string& domain, const std::string& reads) {
  const auto start = std::chrono::steady_clock::now();
  const std::string text = domain + " reads " + reads + " writes { S[i,j,k] -> C[i,j] }";
  const std::string message = error_of([&] { computation_of(parse_problem(text)); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(seconds.count() < 5);
  CHECK(message.size() < 1000);
  return message;
}

std::string costly_condition(int i) {
  const std::string n = std::to_string(i);
  return " and ((" + n + "i + 3j + " + n + "k) mod " + std::to_string(i + 3) + " >= 1 or " + n +
         "j + k <= " + n + ")";
}

const std::string kDomain = "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 4 and 0 <= k < 4 }";
const std::string kReads = "{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] }";

std::string repeated(const std::string& part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

/// Returns the names x0, x1 and so on, joined by `separator`.
std::string names(int count, const std::string& separator) {
  std::string text = "x0";
  for (int i = 1; i < count; ++i) text += separator + "x" + std::to_string(i);
  return text;
}

}  // namespace

TEST_CASE("isl limits: 200 nested floor( are refused at once") {
  const std::string index = repeated("floor(", 200) + "i" + repeated("/2)", 200);
  CHECK(complaint(kDomain, "{ S[i,j,k] -> A[" + index + ",k]; S[i,j,k] -> B[k,j] }") ==
        "relation: reads has 202 levels of brackets; must have at most 8");
}

TEST_CASE("isl limits: 3,000 iterators are refused at once") {
  CHECK(complaint("{ S[" + names(3000, ",") + "] : 0 <= x0 < 4 }", kReads) ==
        "relation: domain has 16910 characters; must have at most 10000");
  CHECK(complaint("{ S[" + names(1000, ",") + "] : 0 <= x0 < 4 }", kReads) ==
        "relation: domain has 1001 names; must have at most 100");
}

TEST_CASE("isl limits: 800 unknown names are refused at once") {
  const std::string domain =
      "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 4 and 0 <= k < " + names(800, " + ") + " }";
  CHECK(complaint(domain, kReads) == "relation: domain has 805 names; must have at most 100");
}

TEST_CASE("isl limits: what is short and costs much is stopped") {
  std::string pieces, divisions;
  for (int i = 1; i < 20; ++i) {
    pieces += costly_condition(i);
  }
  const std::string domain =
      "{ S[i,j,k] : 0 <= i < 400 and 0 <= j < 400 and 0 <= k < 400" + pieces + " }";
  CHECK(contains(complaint(domain, kReads), "operations of isl; must be simpler"));
  for (int i = 0; i < 40; ++i)
    divisions += " + floor((" + std::to_string(i) + "i + j)/" + std::to_string(i + 5) + ")";
  CHECK(complaint(kDomain, "{ S[i,j,k] -> A[i" + divisions + ",k]; S[i,j,k] -> B[k,j] }") ==
        "relation: reads needs more than 100000 operations of isl; must be simpler");
}

TEST_CASE("isl limits: the longest problems stay far below them") {
  CHECK_NOTHROW(computation_of(parse_problem(
      "g1mb64ic2048id56ih56iw56oc2048od54oh54ow54kd3kh3kw3sd1sh1sw1pd0ph0pw0dd0dh0dw0")));
  CHECK(complaint(kDomain, kReads).empty());
}
