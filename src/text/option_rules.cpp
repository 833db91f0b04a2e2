// SPDX-License-Identifier: Apache-2.0
// This file checks the options of a plan.
#include "option_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "option_names.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& value, const std::string& rule) {
  throw Error(std::string("options: ") + name + " is " + value + "; must be " + rule);
}

/// Throws Error when `value` is no enumerator, as after a cast from an integer.
template <class Value, std::size_t count>
void require_one_of(const char* name, Value value, const Names<Value, count>& known) {
  if (name_in(known, value).empty())
    refuse(name, std::to_string(static_cast<int>(value)), list_of(known));
}

}  // namespace

namespace {

/// Throws Error when kernels whose sums have the type `sums` cannot apply the factors alpha and
/// beta.
void check_factors(const Epilogue& epilogue, ElementType sums) {
  const bool whole = epilogue.alpha == 1 && (epilogue.beta == 0 || epilogue.beta == 1);
  if (is_integer(sums) && !whole)
    refuse("epilogue", to_string(epilogue),
           "without alpha and with a beta of 0 or 1 where sums are in " + to_string(sums));
  const double largest = sums == ElementType::f64 ? std::numeric_limits<double>::max()
                                                  : std::numeric_limits<float>::max();
  for (const double factor : {epilogue.alpha, epilogue.beta})
    if (!(std::abs(factor) <= largest))
      refuse("epilogue", to_string(epilogue), "of finite numbers that " + to_string(sums) + " has");
}

/// Throws Error when kernels do not compute the activation of sums that become outputs of `types`,
/// or when a number of the activation is not finite in f32.
void check_activation(const Epilogue& epilogue, const TensorTypes& types) {
  const Activation& activation = epilogue.activation;
  if (!activation.any()) return;
  const ElementType sums = accumulator_of(types);
  if (is_integer(sums) || types.output != sums)
    refuse("epilogue", to_string(epilogue),
           "without an activation unless sums in f32 or f64 are stored, not " + to_string(types));
  const bool is_exponential =
      activation.kind == ActivationKind::sigmoid || activation.kind == ActivationKind::silu;
  if (is_exponential && sums != ElementType::f32)
    refuse("epilogue", to_string(epilogue), "without sigmoid and silu unless sums are f32");
  for (const double number : {activation.alpha, activation.beta})
    if (!(std::abs(number) <= std::numeric_limits<float>::max()))
      refuse("epilogue", to_string(epilogue), "of finite numbers that f32 has");
}

}  // namespace

void check_options(const Options& options, const Machine& machine, const TensorTypes& types) {
  if (options.top < 1) refuse("top", std::to_string(options.top), "at least 1");
  if (options.verify < 0) refuse("verify", std::to_string(options.verify), "at least 0");
  if (options.threads < 1 || options.threads > std::max(machine.cores, 1))
    refuse("threads", std::to_string(options.threads),
           "between 1 and the " + std::to_string(machine.cores) + " cores of " + machine.name);
  if (!(options.budget_seconds > 0) || std::isinf(options.budget_seconds))
    refuse("budget_seconds", std::to_string(options.budget_seconds), "positive and finite");
  require_one_of("layout", options.layout, kLayoutChoices);
  require_one_of("weights", options.weights, kWeightsChoices);
  require_one_of("capacity", options.capacity, kCapacities);
  require_one_of("algorithm", options.algorithm, kAlgorithms);
  if (options.weights == WeightsChoice::plain && options.algorithm != Algorithm::direct)
    refuse("weights", to_string(options.weights),
           "packed for the algorithm " + to_string(options.algorithm) +
               ", which transforms weights beforehand");
  if (!(options.max_error >= 0) || std::isinf(options.max_error))
    refuse("max_error", std::to_string(options.max_error),
           "a finite multiple of the direct convolution's error bound, at least 0");
  if (options.variant) require_one_of("variant", *options.variant, kGemmVariants);
  check_regime(options.regime);
  check_epilogue(options.epilogue, types);
}

namespace {

/// Throws Error when the epilogue has scales or zero points that tensors of `types` cannot have, or
/// scales a residual that it does not add.
void check_quantisation(const Epilogue& epilogue, const TensorTypes& types) {
  const Quantisation& numbers = epilogue.quantisation;
  const auto require = [&](bool holds, const std::string& rule) {
    if (!holds) refuse("epilogue", to_string(epilogue), rule + ", not " + to_string(types));
  };
  const bool has_zero_points =
      numbers.input_zero_point || numbers.weights_zero_points != Granularity::none;
  require(!has_zero_points || (bytes_of(types.input) == 1 && bytes_of(types.weights) == 1),
          "without input-zero and weights-zero unless input and weights are u8 or s8");
  const bool scales = numbers.scales != Granularity::none || numbers.scaled_residual;
  require(!scales || (is_integer(types.input) && types.output != ElementType::s32),
          "without scale and add=scaled unless integer sums become another type than s32");
  require(!numbers.output_zero_point || bytes_of(types.output) == 1,
          "without output-zero unless the output is u8 or s8");
  if (numbers.scaled_residual && !epilogue.add)
    refuse("epilogue", "a scaled residual without add", "with add");
}

}  // namespace

void check_epilogue(const Epilogue& epilogue, const TensorTypes& types) {
  check_quantisation(epilogue, types);
  const bool is_one_infinity = epilogue.low == epilogue.high && std::isinf(epilogue.low);
  if (!(epilogue.low <= epilogue.high) || is_one_infinity)
    refuse("epilogue",
           "clamp=" + std::to_string(epilogue.low) + ":" + std::to_string(epilogue.high),
           "two numbers, the first not above the second, with finite numbers between them");
  const ElementType sums = accumulator_of(types);
  if (epilogue.beta != 0 && types.output != sums)
    refuse("epilogue", to_string(epilogue),
           std::string("without ") + (epilogue.beta == 1 ? "accumulate" : "beta") +
               " where sums in " + to_string(sums) + " become outputs in " +
               to_string(types.output));
  check_factors(epilogue, sums);
  check_activation(epilogue, types);
  const double largest = types.output == ElementType::f64 ? std::numeric_limits<double>::max()
                                                          : std::numeric_limits<float>::max();
  for (const double limit : {epilogue.low, epilogue.high})
    if (std::isfinite(limit) && std::abs(limit) > largest)
      refuse("epilogue", to_string(epilogue),
             "of numbers that " + to_string(types.output) + " has");
}

void check_planned(const TensorTypes& types) { accumulator_of(types); }

void check_regime(Regime regime) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  require_one_of("regime", regime.kind, kRegimes);
  const bool counts = regime.kind == Regime::Kind::network;
  if (counts && (regime.bytes < 1 || regime.bytes > kMost))
    refuse("regime", to_string(regime), "network with 1 to 2^40 bytes");
}

}  // namespace tileplan
