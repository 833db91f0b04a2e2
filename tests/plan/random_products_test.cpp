// SPDX-License-Identifier: Apache-2.0
// This test plans and runs random products with matrices of every layout, all element types,
// factors and threads, and compares them with plain loops. The usage is random_products_test
// [SEEDS].
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "random_relation.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

using namespace tileplan;
using test::pick;
using test::Random;

namespace {

constexpr const char* kTypes[] = {
    "f32",       "f64",      "bf16",      "bf16:bf16:f32", "f16", "f16:f16:f32",
    "u8:s8:s32", "u8:s8:u8", "u8:s8:f32", "s8:s8:s32",     "s8",  "s8:s8:bf16",
    "u8:u8:s32", "u8",       "s8:u8:s32", "s16:s16:s32",   "s16", "s32"};

Epilogue random_products_epilogue(Random& random, const TensorTypes& types) {
  Epilogue epilogue = test::random_epilogue(random);
  if (types.output != accumulator_of(types)) epilogue.beta = 0;
  if (is_integer(accumulator_of(types))) {
    epilogue.alpha = 1;
    if (epilogue.beta != 0) epilogue.beta = 1;
  }
  return epilogue;
}

/// Returns the difference of a random product from plain loops, or empty text.
std::string difference(unsigned seed, const Machine& machine) {
  Random random(seed);
  GemmShape shape = test::random_product(random);
  shape.types = parse_types(kTypes[seed % std::size(kTypes)]);
  const Options options{.top = 1,
                        .threads = static_cast<int>(pick(random, 1, std::min(3, machine.cores))),
                        .epilogue = random_products_epilogue(random, shape.types)};
  const std::string what = to_string(shape) + " " + to_string(options.epilogue) + " " +
                           std::to_string(options.threads) + " threads";
  try {
    const Plan found = plan(shape, machine, options);
    const Check check = check_kernel(compile(found), seed);
    if (check.passed()) return "";
    return what + " '" + to_string(found.candidates.front().schedule) +
           "': " + std::to_string(check.got) + " instead of " + std::to_string(check.expected);
  } catch (const Error& error) {
    return what + ": " + error.what();
  }
}

}  // namespace

int main(int count, char** arguments) {
  const long seeds = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 180;
  const Machine machine = detect_machine();
  long failed = 0;
  for (long seed = 1; seed <= seeds; ++seed) {
    const std::string wrong = difference(static_cast<unsigned>(seed), machine);
    if (wrong.empty()) continue;
    ++failed;
    std::printf("seed %ld: %s\n", seed, wrong.c_str());
  }
  std::printf("%ld products, %ld failed\n", seeds, failed);
  return failed == 0 ? 0 : 1;
}
