// SPDX-License-Identifier: Apache-2.0
// This test plans and runs random products with matrices of every layout, all element types,
// factors, threads, packings and variants, and compares the outputs with plain loops. The usage is
// random_products_test [SEEDS].
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "random_product_plan.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

using namespace tileplan;
using test::pick;
using test::Random;

namespace {

/// Returns a text that tells where the schedule packs A, B and C.
std::string packing_of(const Schedule& schedule) {
  return std::string(schedule.pack_input ? "A packed inside, " : "A in place, ") +
         (schedule.pack_weights       ? "B packed inside"
          : schedule.weights_in_place ? "B in place"
                                      : "B packed before") +
         (schedule.pack_output ? ", C packed inside" : ", C in place");
}

/// Plans and runs the random product of `seed`, and counts its packing in `packings`. Returns a
/// text about a wrong output or a thrown Error, or an empty text.
std::string difference(unsigned seed, const Machine& machine,
                       std::map<std::string, long>& packings) {
  Random random(seed);
  std::string what = "no plan";
  try {
    Plan found = test::random_product_plan(random, seed, machine);
    const Kernel kernel = compile(found);
    what = test::description(found);
    ++packings[packing_of(found.candidates.front().schedule)];
    const Check check = check_kernel(kernel, seed);
    if (check.passed()) return "";
    return what + ": " + std::to_string(check.got) + " instead of " +
           std::to_string(check.expected);
  } catch (const Error& error) {
    return what + ": " + error.what();
  }
}

}  // namespace

int main(int count, char** arguments) {
  const long seeds = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 180;
  const Machine machine = detect_machine();
  long failed = 0;
  std::map<std::string, long> packings;
  for (long seed = 1; seed <= seeds; ++seed) {
    const std::string wrong = difference(static_cast<unsigned>(seed), machine, packings);
    if (wrong.empty()) continue;
    ++failed;
    std::printf("seed %ld: %s\n", seed, wrong.c_str());
  }
  for (const auto& [packing, times] : packings) std::printf("%8ld  %s\n", times, packing.c_str());
  std::printf("%ld products, %ld failed\n", seeds, failed);
  return failed == 0 ? 0 : 1;
}
