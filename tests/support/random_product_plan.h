// SPDX-License-Identifier: Apache-2.0
// This file plans random products with matrices of every layout, all element types, factors,
// threads, packings and variants.
#pragma once

#include <algorithm>

#include "random_relation.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan::test {

inline constexpr int kProductCandidates = 40;

inline constexpr const char* kProductTypes[] = {
    "f32",      "f64",         "s32",        "bf16",        "bf16:bf16:f32",
    "f16",      "f16:f16:f32", "s16",        "u8:s8:s32",   "u8:s8:u8",
    "u8:s8:s8", "u8:s8:f32",   "u8:s8:bf16", "s16:s16:s32", "s8:s8:s32",
    "s8:s8:u8", "s8",          "s8:s8:f32",  "s8:s8:bf16",  "u8:u8:s32",
    "u8",       "u8:u8:s8",    "u8:u8:f32",  "u8:u8:bf16",  "s8:u8:s32",
    "s8:u8:u8", "s8:u8:s8",    "s8:u8:f32",  "s8:u8:bf16"};

/// Returns true when kernels take plain weights of `types`.
inline bool takes_plain_weights(const TensorTypes& types) {
  return types == TensorTypes{ElementType::f32} || types == TensorTypes{ElementType::f64} ||
         types == TensorTypes{ElementType::s32};
}

/// Returns options with plain weights in half of the cases that can have them. A quarter of all
/// cases have one of the variants with C in registers.
inline Options random_products_options(Random& random, const Machine& machine,
                                       const TensorTypes& types) {
  const bool plain = takes_plain_weights(types) && pick(random, 0, 1) == 0;
  Options options{.top = kProductCandidates,
                  .weights = plain ? WeightsChoice::plain : WeightsChoice::packed,
                  .threads = static_cast<int>(pick(random, 1, std::min(3, machine.cores))),
                  .epilogue = with_factors_for(types, random_epilogue(random))};
  if (pick(random, 0, 3) == 0)
    options.variant = pick(random, 0, 1) == 0 ? GemmVariant::b3a2c0 : GemmVariant::a3b2c0;
  return options;
}

/// Plans `shape` with `options`. When a variant has no schedule, as for some small products, the
/// search covers all orders.
inline Plan plan_in_order(const GemmShape& shape, const Machine& machine, Options options) {
  if (options.variant) {
    try {
      return plan(shape, machine, options);
    } catch (const Error&) {
      options.variant.reset();
    }
  }
  return plan(shape, machine, options);
}

/// Keeps a random candidate of `plan`, so that all packings are run and not only the fastest.
inline void keep_random_candidate(Random& random, Plan& plan) {
  const auto last = static_cast<std::int64_t>(plan.candidates.size()) - 1;
  plan.candidates = {plan.candidates[static_cast<std::size_t>(pick(random, 0, last))]};
}

/// In half of the cases, packs C inside a random loop, or inside the next loop for which kernels
/// can do so. Without such a loop, the schedule stays as it is. Plans never pack the output of a
/// product, but schedules of users may.
inline void pack_output_anywhere(Random& random, Plan& plan) {
  if (pick(random, 0, 1) == 0) return;
  const Schedule found = plan.candidates.front().schedule;
  Schedule& schedule = plan.candidates.front().schedule;
  schedule.nontemporal = false;
  const auto loops = static_cast<std::int64_t>(schedule.loops.size());
  const std::int64_t first = pick(random, 0, loops - 1);
  for (std::int64_t i = 0; i < loops; ++i) {
    schedule.pack_output = static_cast<int>((first + i) % loops);
    try {
      compile(plan);
      return;
    } catch (const Error&) {
      continue;
    }
  }
  schedule = found;
}

/// Draws a product and one of the candidates of its plan, with C packed in some cases. `seed`
/// chooses the element types, which take turns.
inline Plan random_product_plan(Random& random, unsigned seed, const Machine& machine) {
  GemmShape shape = random_product(random);
  shape.types = parse_types(kProductTypes[seed % std::size(kProductTypes)]);
  Plan found = plan_in_order(shape, machine, random_products_options(random, machine, shape.types));
  keep_random_candidate(random, found);
  pack_output_anywhere(random, found);
  return found;
}

inline std::string description(const Plan& plan) {
  return to_string(plan.problem) + " " + to_string(plan.options.epilogue) + " " +
         std::to_string(plan.options.threads) + " threads '" +
         to_string(plan.candidates.front().schedule) + "'";
}

}  // namespace tileplan::test
