// SPDX-License-Identifier: Apache-2.0
// Band schedules -> concrete schedules in every layout, scored by the flat model; what does not
// work is counted.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "exact.h"
#include "prefetches.h"
#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Layouts of the input and the output activations.
struct Layouts {
  Layout in = Layout::plain;
  Layout out = Layout::plain;

  auto operator<=>(const Layouts&) const = default;
};

/// The layouts that `choice` allows for this computation. Throws Error when an explicit choice does
/// not exist for it.
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit);

/// The same for kernels that vectorise `vectorised`: vectors of pixels lie in nchw, and outputs in
/// blocks of channels do not hold them (empty).
std::vector<Layouts> layouts_of(const Computation& computation, LayoutChoice choice,
                                const VectorUnit& unit, Dim vectorised);

/// False where `layouts_of` throws because `unit` has no vectors that make blocks of channels.
bool has_layouts(const Computation& computation, LayoutChoice choice, const VectorUnit& unit);

/// Scored schedules, and why others are missing.
struct Candidates {
  std::vector<Candidate> ranked;                             ///< in the order found
  std::map<std::string, std::int64_t> reasons;               ///< of rejection, counted
  double seconds = std::numeric_limits<double>::infinity();  ///< the least prediction

  void add(Candidate candidate);
  /// All of `others`, their reasons too.
  void add(Candidates others);
  std::vector<Rejected> rejected_reasons() const;
  /// One line for a problem that nothing in the space can run.
  std::string why_empty(const Problem& problem) const;
};

/// Adds `schedule` in each of `layouts` in which kernels can read it (readable.h), with the
/// prefetches that the model chooses, once more with streamed outputs where it expects something of
/// them (streaming.h), and without prefetches where it cannot tell (prefetches.h); its own layouts
/// and prefetches do not count.
/// Prediction::bound_bytes stay 0. Throws Error as `predict` does.
void append_layouts(Candidates& candidates, const Pricing& pricing, Schedule schedule,
                    const std::vector<Layouts>& layouts);

/// What the search knew when it found the band schedules.
struct SearchContext {
  const Computation& computation;
  const KernelCombo& kernels;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
};

/// Adds every schedule of `found` in every layout; their Prediction::bound_bytes stay 0.
void append_concrete(Candidates& candidates, const SearchContext& context,
                     const SearchResult& found, const std::vector<Layouts>& layouts);

/// Adds nests without cache tiles for context.kernels in every layout.
void append_untiled(Candidates& candidates, const SearchContext& context,
                    const std::vector<Layouts>& layouts);

/// Seconds that the first of these nests spends between runs and calls on one core.
double seconds_between_calls(const SearchContext& context);

/// The same as append_concrete for the schedules of `found` whose cache tiles are split unevenly
/// alone.
void append_uneven(Candidates& candidates, const SearchContext& context, const SearchResult& found,
                   const std::vector<Layouts>& layouts);

}  // namespace tileplan
