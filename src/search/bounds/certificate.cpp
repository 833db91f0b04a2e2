// SPDX-License-Identifier: Apache-2.0
// This file bounds predictions and compares the per-level optimum with its relaxation.
#include "certificate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "check.h"
#include "option_names.h"
#include "prediction_bound.h"
#include "programs.h"
#include "ragged.h"

namespace tileplan {
namespace {

// Limits the combinations of loop order classes whose relaxations are solved by default.
constexpr std::size_t kTuples = 4;
// Limits the schedules in SearchRecord::best.
constexpr std::size_t kKept = 16;
/// A bound and a prediction that are mathematically equal may differ by this share, because both
/// are rounded.
constexpr double kRounding = 1e-12;

/// Solves the relaxation once for each different combination of loop order classes in the best
/// schedules, for at most kTuples combinations.
PerLevelProof relax_best_tuples(const CertificateInputs& inputs, const Programs& programs) {
  PerLevelProof proof{.optimum = inputs.record.optimum(), .bound = inputs.record.optimum()};
  std::set<std::vector<int>> seen;
  for (const SearchRecord::Entry& entry : inputs.record.best) {
    if (seen.size() == kTuples) break;
    if (!seen.insert(entry.per_level.classes).second) continue;
    const std::optional<double> seconds =
        programs.tuple_seconds(entry.kernels, entry.per_level.classes);
    ++(seconds ? proof.solved : proof.unsolved);
    proof.bound = std::min(proof.bound, seconds.value_or(inputs.record.bound));
  }
  return proof;
}

/// Compares divisor tiles with tiles of any size for each cache that holds KernelCombo::base of the
/// best schedule. The sizes of all tiles are multiples of this box.
std::vector<Divisibility> divisibility(const CertificateInputs& inputs) {
  const std::int64_t element_bytes = inputs.computation.unit_bytes();
  std::vector<Divisibility> levels;
  for (const CacheLevel& cache : inputs.machine.caches) {
    RaggedOptions options{.rule = rule_for(inputs.options.capacity, cache, element_bytes)};
    const auto least = [&](TileSizeChoice sizes) {
      options.sizes = sizes;
      return least_movement(inputs.computation, inputs.classes,
                            inputs.record.best.front().kernels.base,
                            usable_units(cache, element_bytes), options);
    };
    const RaggedTile divisors = least(TileSizeChoice::divisors);
    const RaggedTile any = least(TileSizeChoice::any);
    if (divisors.order_class < 0) continue;
    levels.push_back({.level = cache.name,
                      .divisors = divisors.elements,
                      .any = any.elements,
                      .any_bound = any.bound});
  }
  return levels;
}

std::string count_text(double count) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), count < 1e7 ? "%.0f" : "%.2e", count);
  return text.data();
}

std::string uneven_text(const SearchRecord& record) {
  if (record.uneven.combos == 0) return "";
  return "; for the best " + std::to_string(record.uneven.combos) + " of these also " +
         count_text(record.uneven.points) + " uneven tiles, " +
         (record.uneven.complete ? "the best of these proven" : "search cut short");
}

/// Returns text that describes the space that was searched, the cost model and the bound.
std::string space_text(const CertificateInputs& inputs) {
  const SearchRecord& record = inputs.record;
  std::string text = std::to_string(record.all_combos) + " microkernel combinations (" +
                     std::to_string(record.divisors.combos) + " searched) x " +
                     std::to_string(inputs.classes.classes.size()) + "^" +
                     std::to_string(inputs.machine.caches.size()) + " order classes x " +
                     count_text(record.divisors.points) +
                     " divisor tiles by the per-level model (" +
                     name_in(kCapacities, inputs.options.capacity) + "), " +
                     (record.divisors.complete ? "the best of these proven" : "search cut short") +
                     uneven_text(record) + "; " + std::to_string(inputs.scored.size()) +
                     " schedules of them scored";
  text += inputs.options.certify_full
              ? "; bound: single-level programs and I/O bounds of every tile and order"
              : "; bound: I/O bounds and least compute of every tile and order";
  return text;
}

}  // namespace

void SearchRecord::add(Coverage SearchRecord::*coverage, const KernelCombo& kernels,
                       const ExactResult& result) {
  Coverage& covered = this->*coverage;
  covered.points += result.points;
  covered.complete = covered.complete && result.complete;
  ++covered.combos;
  bound = std::min(bound, result.bound);
  nodes += result.nodes;
  for (const PerLevelSchedule& per_level : result.best)
    best.push_back({.kernels = kernels, .per_level = per_level});
  std::ranges::stable_sort(best, {}, [](const Entry& entry) { return entry.per_level.seconds; });
  if (best.size() > kKept) best.resize(kKept);
}

Certificate certify(const CertificateInputs& inputs) {
  Certificate certificate{.space = space_text(inputs), .nodes = inputs.record.nodes};
  if (inputs.scored.empty()) return certificate;
  Programs programs(inputs.computation, inputs.classes, inputs.machine,
                    {.kind = inputs.options.capacity});
  certificate.per_level = inputs.options.certify_full
                              ? programs.least(inputs.combos, inputs.record.optimum())
                              : relax_best_tuples(inputs, programs);
  if (!inputs.record.divisors.complete || !inputs.record.uneven.complete)
    certificate.per_level.bound = std::min(certificate.per_level.bound, inputs.record.bound);
  PredictionBound bound =
      prediction_bound(inputs.computation, inputs.machine, inputs.options.threads);
  if (inputs.options.certify_full) {
    // The relaxation models one core and a single vector width, so it does not bound other
    // schedules.
    if (inputs.options.threads == 1 && !inputs.machine.narrow)
      bound.sharpen(programs.level_seconds());
    certificate.divisibility = divisibility(inputs);
  }
  const auto seconds = [](const Candidate& each) { return each.prediction.seconds; };
  const Prediction& best = std::ranges::min_element(inputs.scored, {}, seconds)->prediction;
  certificate.optimum = best.seconds;
  certificate.bottleneck = best.bottleneck;
  certificate.bound = (1 - kRounding) * bound.seconds(inputs.machine.rates.overlap_exponent);
  certificate.gap = (certificate.optimum - certificate.bound) / certificate.optimum;
  return certificate;
}

}  // namespace tileplan
