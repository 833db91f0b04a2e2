// SPDX-License-Identifier: Apache-2.0
// This file merges consecutive reduction steps with equal pixel sets and constant distances into
// runs.
#include "reduction_runs.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>

#include "check.h"
#include "packed_box.h"

namespace tileplan {
namespace {

/// Holds, for each entry of Guard::step_index, the pixels that read the input: those inside the
/// tensor along this dimension, or all pixels if Guard::passes_all is true.
using Pattern = std::vector<PixelSet>;

struct Guard {
  const DataDim* data = nullptr;
  bool passes_all = false;  // If true, vectors can cross the border, so no pixel is skipped.
  // Indices are relative to the index of pixel 0 at the first step.
  std::vector<std::int64_t> pixel_index = {};
  // Each distinct index of a step occurs once, in ascending order.
  std::vector<std::int64_t> step_index = {};
  // The index of each step has this position in `step_index`.
  std::vector<std::size_t> step_number = {};
};

std::vector<Guard> guards_of(const Computation& computation, Dim vectorised, const CallBox& box) {
  std::vector<Guard> guards;
  for (const DataDim& data : computation.tensor(Operand::input).data) {
    if (!is_guarded(computation, data, vectorised)) continue;
    Guard guard{.data = &data, .passes_all = is_present(data, vectorised)};
    for (const Tile& pixel : box.pixels) guard.pixel_index.push_back(index_distance(data, pixel));
    std::map<std::int64_t, std::size_t> numbers;
    for (const Tile& step : box.steps) numbers.emplace(index_distance(data, step), 0);
    for (auto& [value, number] : numbers) {
      number = guard.step_index.size();
      guard.step_index.push_back(value);
    }
    for (const Tile& step : box.steps)
      guard.step_number.push_back(numbers.at(index_distance(data, step)));
    guards.push_back(std::move(guard));
  }
  return guards;
}

Pattern pattern_at(const Guard& guard, std::int64_t first) {
  Pattern pattern(guard.step_index.size(), 0);
  for (std::size_t s = 0; s < pattern.size(); ++s)
    for (std::size_t p = 0; p < guard.pixel_index.size(); ++p) {
      const std::int64_t at = first + guard.step_index[s] + guard.pixel_index[p];
      if (guard.passes_all || (at >= 0 && at < guard.data->extent)) pattern[s] |= PixelSet{1} << p;
    }
  return pattern;
}

/// Fills `table` for calls that begin at the indices `first`. Returns the distinct patterns of
/// `guard`.
std::vector<Pattern> classify(const Guard& guard, const std::vector<std::int64_t>& first,
                              GuardTable& table) {
  std::vector<Pattern> distinct;
  std::map<Pattern, std::uint16_t> numbers;
  table.first = first.front();
  table.pattern.assign(static_cast<std::size_t>(first.back() - table.first) + 1, 0);
  table.last.assign(table.pattern.size(), 0);
  for (const std::int64_t at : first) {
    Pattern pattern = pattern_at(guard, at);
    const auto [entry, added] =
        numbers.try_emplace(pattern, static_cast<std::uint16_t>(distinct.size()));
    if (added) distinct.push_back(std::move(pattern));
    TILEPLAN_CHECK(distinct.size() <= std::numeric_limits<std::uint16_t>::max(),
                   "more patterns of padding than a table can number");
    table.pattern[static_cast<std::size_t>(at - table.first)] = entry->second;
  }
  std::int64_t last = first.back();
  for (std::size_t i = first.size(); i-- > 0;) {
    if (table.pattern_at(first[i]) != table.pattern_at(last)) last = first[i];
    table.last[static_cast<std::size_t>(first[i] - table.first)] = last;
  }
  return distinct;
}

/// Holds, for each reduction step, the pixels that read the input.
using StepSets = std::vector<PixelSet>;

struct StepOffsets {
  std::vector<std::int64_t> input = {}, weights = {};  // These offsets are in bytes.
  std::int64_t stride = 0, row_stride = 0;             // Both strides are in bytes.
  bool counts_padding = false;
};

/// Returns true when the single step `next` can extend the run `before`.
bool continues(const PixelRun& before, const PixelRun& next, const StepOffsets& offsets) {
  const ReductionRun& run = before.run;
  return before.pixels == next.pixels && run.input + run.steps * offsets.stride == next.run.input &&
         run.weights + run.steps * offsets.row_stride == next.run.weights;
}

std::vector<PixelRun> merge_steps(const StepSets& sets, const StepOffsets& offsets) {
  std::vector<PixelRun> runs;
  for (std::size_t step = 0; step < sets.size(); ++step) {
    if (sets[step] == 0 && !offsets.counts_padding) continue;
    const PixelRun next{
        .run = {.input = offsets.input[step], .weights = offsets.weights[step], .steps = 1},
        .pixels = sets[step]};
    if (!runs.empty() && continues(runs.back(), next, offsets)) {
      ++runs.back().run.steps;
    } else {
      runs.push_back(next);
    }
  }
  return runs;
}

/// Returns each of `lists` restricted to each of `patterns`, where the patterns change fastest.
std::vector<StepSets> under_patterns(const std::vector<StepSets>& lists, const Guard& guard,
                                     const std::vector<Pattern>& patterns) {
  std::vector<StepSets> next;
  next.reserve(lists.size() * patterns.size());
  for (const StepSets& list : lists)
    for (const Pattern& pattern : patterns) {
      StepSets& sets = next.emplace_back(list);
      for (std::size_t step = 0; step < sets.size(); ++step)
        sets[step] &= pattern[guard.step_number[step]];
    }
  return next;
}

// Micro-op caches hold at least 1536 micro-operations. An unrolled list must have fewer
// multiply-adds to fit. All lists of a kernel together may exceed the cache, because few of them
// run often.
constexpr std::int64_t kMostUnrolled = 1024;
constexpr std::int64_t kMostUnrolledTogether = 8192;

std::int64_t multiply_adds(const std::vector<PixelRun>& list, int vectors) {
  std::int64_t count = 0;
  for (const PixelRun& one : list) count += one.run.steps * std::popcount(one.pixels) * vectors;
  return count;
}

// A displacement of 32 bits must cover up to 12 steps of a loop iteration (kUnroll) and the offset
// of a pixel, so longer strides are not used.
constexpr std::int64_t kFarthestStep = std::int64_t{1} << 26;
constexpr std::int64_t kFarthestRun = std::int64_t{1} << 29;

bool reaches_far(const std::vector<PixelRun>& list, const RunPlan& plan) {
  const auto is_far = [](std::int64_t first, std::int64_t distance) {
    return std::max(std::abs(first), std::abs(first + distance)) > kFarthestRun;
  };
  return std::ranges::any_of(list, [&](const PixelRun& one) {
    const std::int64_t more = one.run.steps - 1;
    return is_far(one.run.input, more * plan.step_stride) ||
           is_far(one.run.weights, more * plan.row_stride);
  });
}

/// Returns the most frequent difference of consecutive offsets, which mostly gives the longest
/// runs, or `fallback` when there are fewer than two offsets.
std::int64_t common_step(const std::vector<std::int64_t>& offsets, std::int64_t fallback) {
  std::map<std::int64_t, int> counts;
  for (std::size_t i = 1; i < offsets.size(); ++i) ++counts[offsets[i] - offsets[i - 1]];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
  return most == counts.end() ? fallback : most->first;
}

/// Returns the stride of runs, which is 0 when displacements cannot cover several steps.
std::int64_t run_stride(const std::vector<std::int64_t>& offsets, std::int64_t fallback) {
  const std::int64_t stride = common_step(offsets, fallback);
  return std::abs(stride) > kFarthestStep ? 0 : stride;
}

StepOffsets step_offsets(const Computation& computation, const LoopProgram& program,
                         const CallBox& box, const RunOptions& options) {
  StepOffsets offsets{.counts_padding = options.counts_padding};
  const auto offset = [&](Operand operand, const TensorLayout& layout, const Tile& step) {
    const TensorAccess& tensor = computation.tensor(operand);
    return offset_distance(tensor, layout, step) * tensor.element_bytes();
  };
  const bool in_place = program.weights_source == WeightsSource::in_place;
  for (const Tile& step : box.steps) {
    const auto packed = static_cast<std::int64_t>(offsets.weights.size()) * options.row_bytes;
    offsets.input.push_back(offset(Operand::input, program.place(Operand::input).in_calls(), step));
    offsets.weights.push_back(
        in_place ? offset(Operand::weights, program.place(Operand::weights).stored, step) : packed);
  }
  offsets.stride = run_stride(offsets.input, computation.tensor(Operand::input).element_bytes());
  offsets.row_stride =
      in_place ? run_stride(offsets.weights, options.row_bytes) : options.row_bytes;
  return offsets;
}

}  // namespace

RunPlan plan_runs(const Computation& computation, const LoopProgram& program, const CallBox& box,
                  const std::vector<std::vector<std::int64_t>>& first, const RunOptions& options) {
  const std::vector<Guard> guards = guards_of(computation, program.vectorised, box);
  const StepOffsets offsets = step_offsets(computation, program, box, options);
  RunPlan plan;
  plan.step_stride = offsets.stride;
  plan.row_stride = offsets.row_stride;
  std::vector<StepSets> lists{
      StepSets(box.steps.size(), all_pixels(static_cast<int>(box.pixels.size())))};
  for (std::size_t g = 0; g < guards.size(); ++g) {
    GuardTable table;
    const std::vector<Pattern> patterns = classify(guards[g], first[g], table);
    lists = under_patterns(lists, guards[g], patterns);
    for (GuardTable& before : plan.guards)
      before.lists *= static_cast<std::int64_t>(patterns.size());
    plan.guards.push_back(std::move(table));
  }
  for (const StepSets& list : lists) {
    plan.lists.push_back(merge_steps(list, offsets));
    for (const auto& [run, pixels] : plan.lists.back()) {
      plan.longest = std::max(plan.longest, run.steps);
      if (std::ranges::find(plan.bodies, pixels) == plan.bodies.end())
        plan.bodies.push_back(pixels);
    }
  }
  return plan;
}

UnrolledLists unrolled_lists(const RunPlan& plan, int vectors) {
  UnrolledLists unrolled;
  std::int64_t all = 0;
  for (const std::vector<PixelRun>& list : plan.lists) {
    unrolled.of_list.emplace_back();
    const std::int64_t size = multiply_adds(list, vectors);
    if (list.size() < 2 || size > kMostUnrolled || all + size > kMostUnrolledTogether) continue;
    if (reaches_far(list, plan)) continue;
    all += size;
    unrolled.of_list.back() = unrolled.code.size();
    std::vector<UnrolledStep>& steps = unrolled.code.emplace_back();
    for (const PixelRun& one : list)
      for (std::int64_t i = 0; i < one.run.steps; ++i)
        steps.push_back({.input = one.run.input + i * plan.step_stride,
                         .weights = one.run.weights + i * plan.row_stride,
                         .pixels = one.pixels});
  }
  return unrolled;
}

}  // namespace tileplan
