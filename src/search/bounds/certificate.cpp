// SPDX-License-Identifier: Apache-2.0
// Two claims side by side: predictions against a bound on all predictions, and the band model's
// optimum against its relaxation.
#include "certificate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "cache_pressure.h"
#include "check.h"
#include "option_names.h"
#include "prediction_bound.h"
#include "programs.h"
#include "ragged.h"

namespace tileplan {

namespace {

constexpr std::size_t kTuples = 4;  // class tuples that the default plan certifies
constexpr std::size_t kKept = 16;   // best band schedules that are remembered
/// Programs that a full certificate solves at most. Each takes some milliseconds.
constexpr int kMostPrograms = 4000;
/// Relative: the bound and a prediction that meets it add the same terms in another order.
constexpr double kRounding = 1e-12;

/// The relaxation of the class tuples of the best schedules.
BandProof relaxed_best(const Evidence& evidence, const Programs& programs) {
  BandProof proof{.optimum = evidence.record.optimum(), .bound = evidence.record.optimum()};
  std::set<std::vector<int>> seen;
  for (const SearchRecord::Entry& entry : evidence.record.best()) {
    if (seen.size() == kTuples) break;
    if (!seen.insert(entry.band.classes).second) continue;
    const std::optional<double> seconds = programs.tuple_seconds(entry.kernels, entry.band.classes);
    ++(seconds ? proof.solved : proof.unsolved);
    proof.bound = std::min(proof.bound, seconds.value_or(evidence.record.bound()));
  }
  return proof;
}

BandProof relaxed_all(const Evidence& evidence, Programs& programs) {
  const double optimum = evidence.record.optimum();
  const ProgramBound found = programs.least(evidence.kernels, optimum, kMostPrograms);
  return {.optimum = optimum,
          .bound = found.seconds,
          .solved = found.solved,
          .pruned = found.pruned,
          .unsolved = found.unsolved};
}

/// For the register tile of the best band schedule.
std::vector<Divisibility> divisibility(const Evidence& evidence) {
  const std::int64_t element_bytes = evidence.computation.element_bytes();
  std::vector<Divisibility> levels;
  for (const CacheLevel& cache : evidence.machine.caches) {
    RaggedOptions options{.rule = rule_for(evidence.options.capacity, cache, element_bytes)};
    const auto least = [&](TileSizeChoice sizes) {
      options.sizes = sizes;
      return least_movement(evidence.computation, evidence.classes,
                            evidence.record.best().front().kernels.base,
                            usable_elements(cache, element_bytes), options);
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
  if (record.uneven_combos() == 0) return "";
  return "; of the best " + std::to_string(record.uneven_combos()) + " with uneven splits " +
         count_text(record.uneven_points()) + " tiles, " +
         (record.uneven_complete() ? "optimum proven" : "search cut short");
}

/// What was searched, by which cost, and what bounds it.
std::string space_text(const Evidence& evidence) {
  const SearchRecord& record = evidence.record;
  std::string text = std::to_string(record.all_kernels()) + " kernels and combinations (" +
                     std::to_string(record.combos()) + " searched) x " +
                     std::to_string(evidence.classes.classes.size()) + "^" +
                     std::to_string(evidence.machine.caches.size()) + " order classes x " +
                     count_text(record.points()) + " divisor tiles by the band model (" +
                     name_in(kCapacities, evidence.options.capacity) + "), " +
                     (record.complete() ? "optimum proven" : "search cut short") +
                     uneven_text(record) + "; " + std::to_string(evidence.scored.size()) +
                     " nests of them scored";
  text += evidence.options.certify_full
              ? "; bound: single-level programs and I/O bounds of every tile and order"
              : "; bound: I/O bounds and least compute of every tile and order";
  return text;
}

/// Requires: `scored` is not empty.
const Prediction& smallest_prediction(const std::vector<Candidate>& scored) {
  return std::min_element(scored.begin(), scored.end(),
                          [](const Candidate& a, const Candidate& b) {
                            return a.prediction.seconds < b.prediction.seconds;
                          })
      ->prediction;
}

}  // namespace

void SearchRecord::add(const KernelCombo& kernels, const SearchResult& result) {
  points_ += result.points;
  complete_ = complete_ && result.complete;
  bound_ = std::min(bound_, result.bound);
  ++combos_;
  keep(kernels, result);
}

void SearchRecord::add_uneven(const KernelCombo& kernels, const SearchResult& result) {
  uneven_points_ += result.points;
  uneven_complete_ = uneven_complete_ && result.complete;
  bound_ = std::min(bound_, result.bound);
  ++uneven_combos_;
  keep(kernels, result);
}

void SearchRecord::keep(const KernelCombo& kernels, const SearchResult& result) {
  nodes_ += result.nodes;
  for (const BandSchedule& band : result.best) best_.push_back({.kernels = kernels, .band = band});
  std::stable_sort(best_.begin(), best_.end(),
                   [](const Entry& a, const Entry& b) { return a.band.seconds < b.band.seconds; });
  if (best_.size() > kKept) best_.resize(kKept);
}

double SearchRecord::optimum() const { return best_.empty() ? 0 : best_.front().band.seconds; }

Certificate certify(const Evidence& evidence) {
  Certificate certificate;
  certificate.nodes = evidence.record.nodes();
  certificate.space = space_text(evidence);
  if (evidence.scored.empty()) return certificate;
  Programs programs(evidence.computation, evidence.classes, evidence.machine,
                    {.kind = evidence.options.capacity});
  certificate.band = evidence.options.certify_full ? relaxed_all(evidence, programs)
                                                   : relaxed_best(evidence, programs);
  if (!evidence.record.complete() || !evidence.record.uneven_complete())
    certificate.band.bound = std::min(certificate.band.bound, evidence.record.bound());
  PredictionBound bound =
      prediction_bound(evidence.computation, evidence.machine, evidence.options.threads);
  if (evidence.options.certify_full) {
    // The programs know one core, ordinary stores and one width of vectors.
    if (evidence.options.threads == 1 && !evidence.machine.narrow &&
        !crowds_caches(evidence.computation, evidence.machine, evidence.options.threads))
      bound.sharpen(programs.level_seconds());
    certificate.divisibility = divisibility(evidence);
  }
  const Prediction& best = smallest_prediction(evidence.scored);
  certificate.optimum = best.seconds;
  certificate.bottleneck = best.bottleneck;
  certificate.bound = (1 - kRounding) * bound.seconds(evidence.machine.overlap_exponent);
  certificate.gap = (certificate.optimum - certificate.bound) / certificate.optimum;
  return certificate;
}

}  // namespace tileplan
