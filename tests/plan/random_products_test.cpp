// SPDX-License-Identifier: Apache-2.0
// This test plans and runs random products with matrices of every layout, all element types,
// factors, threads, packings and variants, and compares them with plain loops. The usage is
// random_products_test [SEEDS].
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
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

constexpr int kCandidates = 40;

constexpr const char* kTypes[] = {
    "f32",       "f64",      "bf16",      "bf16:bf16:f32", "f16", "f16:f16:f32",
    "u8:s8:s32", "u8:s8:u8", "u8:s8:f32", "s8:s8:s32",     "s8",  "s8:s8:bf16",
    "u8:u8:s32", "u8",       "s8:u8:s32", "s16:s16:s32",   "s16", "s32"};

Epilogue random_products_epilogue(Random& random, const TensorTypes& types) {
  return test::with_factors_for(types, test::random_epilogue(random));
}

/// Returns a text that tells where the schedule packs A and B.
std::string packing_of(const Schedule& schedule) {
  return std::string(schedule.pack_input ? "A packed inside, " : "A in place, ") +
         (schedule.pack_weights       ? "B packed inside"
          : schedule.weights_in_place ? "B in place"
                                      : "B packed before");
}

/// Returns true when kernels take plain weights of `types`.
bool takes_plain_weights(const TensorTypes& types) {
  return types == TensorTypes{ElementType::f32} || types == TensorTypes{ElementType::f64} ||
         types == TensorTypes{ElementType::s32};
}

/// Returns random options. Plain weights are chosen in half of the cases that allow them. In a
/// quarter of all cases, the options ask for a variant with C in registers.
Options random_products_options(Random& random, const Machine& machine, const TensorTypes& types) {
  const bool plain = takes_plain_weights(types) && pick(random, 0, 1) == 0;
  Options options{.top = kCandidates,
                  .weights = plain ? WeightsChoice::plain : WeightsChoice::packed,
                  .threads = static_cast<int>(pick(random, 1, std::min(3, machine.cores))),
                  .epilogue = random_products_epilogue(random, types)};
  if (pick(random, 0, 3) == 0)
    options.variant = pick(random, 0, 1) == 0 ? GemmVariant::b3a2c0 : GemmVariant::a3b2c0;
  return options;
}

/// Plans `shape`. Some small products have no schedule in the order of the variant, and are then
/// planned with any order.
Plan plan_in_order(const GemmShape& shape, const Machine& machine, Options options) {
  if (options.variant) {
    try {
      return plan(shape, machine, options);
    } catch (const Error&) {
      options.variant.reset();
    }
  }
  return plan(shape, machine, options);
}

/// Removes all candidates of `plan` except a random one, so that all packings are run and not only
/// the fastest.
void keep_random_candidate(Random& random, Plan& plan) {
  const auto last = static_cast<std::int64_t>(plan.candidates.size()) - 1;
  plan.candidates = {plan.candidates[static_cast<std::size_t>(pick(random, 0, last))]};
}

/// Returns a description of the difference between a random product and plain loops, or an empty
/// text.
std::string difference(unsigned seed, const Machine& machine,
                       std::map<std::string, long>& packings) {
  Random random(seed);
  GemmShape shape = test::random_product(random);
  shape.types = parse_types(kTypes[seed % std::size(kTypes)]);
  const Options options = random_products_options(random, machine, shape.types);
  const std::string what = to_string(shape) + " " + to_string(options.epilogue) + " " +
                           std::to_string(options.threads) + " threads";
  try {
    Plan found = plan_in_order(shape, machine, options);
    keep_random_candidate(random, found);
    ++packings[packing_of(found.candidates.front().schedule)];
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
