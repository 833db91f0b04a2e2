// SPDX-License-Identifier: Apache-2.0
// This header lists the choices that the caller of plan() makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tileplan/epilogue.h"
#include "tileplan/gemm_variant.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Restricts the layouts of the activations (input and output). `blocked` requires a blocked
/// output, and a blocked input too if the input has at least one full block of channels; otherwise
/// the input is nhwc.
enum class LayoutChoice { any, nhwc, nchw, blocked };

/// Returns the choice that `text` names. Throws Error with the value and the known names.
LayoutChoice parse_layout_choice(const std::string& text);

/// Names the state of the caches when a kernel starts. `hot` leaves the caches as the previous run
/// left them, `cold_weights` flushes the weights, and `all_cold` flushes all tensors. `network`
/// reads `bytes` of other memory between two runs, as the other layers of a network do. In all
/// states, Kernel::pack_weights() packs weights before the runs, if the kernel takes packed ones.
struct Regime {
  enum class Kind { hot, cold_weights, all_cold, network };

  Kind kind = Kind::hot;
  /// Sets the number of bytes that `network` reads, from 1 to 2^40. It is 0 in all other states.
  std::int64_t bytes = 0;

  // NOLINTBEGIN(readability-identifier-naming): These constants are named as values of Kind.
  static const Regime hot;
  static const Regime cold_weights;
  static const Regime all_cold;
  // NOLINTEND(readability-identifier-naming)
  static constexpr Regime network(std::int64_t bytes) { return {Kind::network, bytes}; }

  bool operator==(const Regime&) const = default;
};
inline constexpr Regime Regime::hot{Regime::Kind::hot, 0};
inline constexpr Regime Regime::cold_weights{Regime::Kind::cold_weights, 0};
inline constexpr Regime Regime::all_cold{Regime::Kind::all_cold, 0};

/// Returns "hot", "cold-weights", "all-cold" or, with the number of bytes, "network:1000000".
std::string to_string(Regime regime);
/// Returns the regime that `text` names as to_string() writes it. Throws Error with the value and
/// the rule when the name is unknown, and when a number of bytes is missing, out of range or not
/// allowed.
Regime parse_regime(const std::string& text);
/// Returns "hot caches", "cold weights", "all caches cold" or "1.00 MB of other data between runs".
std::string in_words(Regime regime);

/// Determines how much of a cache a tile may fill so that its data is reused, eq. (C).
enum class Capacity {
  ideal,  ///< One tile must fit, as if the cache evicted the data whose next use is farthest away.
  lru2,  ///< Two consecutive tiles must fit, because the cache evicts the least recently used line.
  /// One tile must fit, and each tensor takes whole ways of the cache, as in the BLIS model.
  ways,
};

/// Returns the rule that `text` names. Throws Error with the value and the known names.
Capacity parse_capacity(const std::string& text);

/// Names the algorithms by which a plan may compute a convolution. `direct` sums the products of
/// the filter taps. `winograd` transforms tiles of the input, multiplies fewer numbers and
/// transforms back (docs/concepts.md). `any` compares both.
enum class Algorithm { direct, winograd, any };

/// Returns "direct", "winograd" or "any".
std::string to_string(Algorithm algorithm);
/// Returns the algorithm that `text` names. Throws Error with the value and the known names.
Algorithm parse_algorithm(const std::string& text);

/// Names the form of the weights that kernels take. `packed` weights are packed before any run by
/// Kernel::pack_weights(). `plain` weights are oihw, or B as it is stored; kernels read them in
/// place or pack them inside their loops, which takes time in every run.
enum class WeightsChoice { packed, plain };

/// Returns "packed" or "plain".
std::string to_string(WeightsChoice weights);
/// Returns the choice that `text` names. Throws Error with the value and the known names.
WeightsChoice parse_weights_choice(const std::string& text);

struct Options {
  /// Sets the number of candidates that the plan keeps, best first. The plan keeps `verify`
  /// candidates if `verify` is larger. The share of similar schedules in the list is limited, so
  /// that a shorter list need not be the start of a longer one. Requires at least 1.
  int top = 10;
  /// Sets the number of candidates, from the best on, that are compiled, checked and measured. With
  /// 0, nothing is measured. Requires at least 0.
  int verify = 0;
  /// Limits the time of measurements, in seconds. When the time is over, the fastest candidate so
  /// far is chosen. Requires a positive, finite number.
  double budget_seconds = 3;
  LayoutChoice layout = LayoutChoice::any;
  /// Tells which form of the weights all candidates take. With `plain`, all algorithms but `direct`
  /// are refused.
  WeightsChoice weights = WeightsChoice::packed;
  /// Names the state of the caches at the start of predicted and measured runs.
  Regime regime = Regime::hot;
  /// Sets the number of threads that share one run, each on its own core, from 1 to Machine::cores.
  /// With 2 or more, candidates may have P loops.
  int threads = 1;
  /// The kernel computes the epilogue before its last store of each output. Predictions ignore the
  /// traffic of the tensors that the epilogue adds.
  Epilogue epilogue = {};
  /// Tells the cost model when a tile fits in a cache; `lru2` describes ordinary caches. `ideal`
  /// predicts too little traffic where one tile fits in a cache but two do not, and `ways` does so
  /// for operands that are used in turn.
  Capacity capacity = Capacity::lru2;
  /// If true, Certificate::per_level covers every choice of loop orders that single-level bounds do
  /// not prune, which takes seconds. If false, it covers only the choices of the best schedules. If
  /// true, Certificate::divisibility is filled too and, with one thread and without narrow vectors,
  /// Certificate::bound can become larger.
  bool certify_full = false;
  /// Names the algorithms that candidates may use. `winograd` requires a 1-D or 2-D convolution of
  /// f32 with stride 1, at most 7 taps in each direction, more than one in some direction, and
  /// dilation 1 wherever there is more than one. With `any`, other problems are computed directly.
  Algorithm algorithm = Algorithm::direct;
  /// Limits Prediction::relative_error of Winograd convolutions, the a-priori error bound as a
  /// multiple of the direct convolution's bound. Requires a finite number of at least 0.
  double max_error = 100;
  /// Restricts candidates to the loop order and the resident operands of this variant. Requires a
  /// matrix product and a variant that keeps C in registers. Without a variant, all orders are
  /// searched.
  std::optional<GemmVariant> variant = {};
  /// Seeds the random tensors on which kernels are measured.
  std::uint64_t seed = 1;

  bool operator==(const Options&) const = default;
};

}  // namespace tileplan
