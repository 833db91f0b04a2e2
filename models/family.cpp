// SPDX-License-Identifier: Apache-2.0
// This file enumerates unrolled microkernels, then compares and classifies their rates.
#include "family.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace tileplan {
namespace {

constexpr int kMostUnrolled = 16;
constexpr std::array kFilters{1, 3, 5, 7};
constexpr double kPaperRegisters = 32;

int outputs(const KernelForm& form) { return form.w * form.h * form.k; }

/// Returns true when out + par, scaled to the registers of the paper's machine, is at most
/// kMostSum.
bool is_small(const KernelForm& form, const VectorUnit& unit) {
  constexpr double kMostSum = 36;
  const int parallel = form.r * form.s * form.c * form.k;
  return (outputs(form) + parallel) * kPaperRegisters / unit.registers <= kMostSum;
}

/// Returns the output blocks w x h x k that satisfy is_small with reduction blocks of one step.
std::vector<KernelForm> output_blocks(const VectorUnit& unit) {
  std::vector<KernelForm> blocks;
  for (int w = 1; w <= kMostUnrolled; ++w)
    for (int h = 1; h <= kMostUnrolled; ++h)
      for (int k = 1; k <= kMostUnrolled; ++k)
        if (const KernelForm block{.w = w, .h = h, .k = k}; is_small(block, unit))
          blocks.push_back(block);
  return blocks;
}

std::vector<KernelForm> reduction_blocks() {
  std::vector<KernelForm> blocks;
  for (const int r : kFilters)
    for (const int s : kFilters)
      for (int c = 1; c <= kMostUnrolled; ++c)
        if (r == 1 || s == 1 || r == s) blocks.push_back({.r = r, .s = s, .c = c});
  return blocks;
}

}  // namespace

RegisterTile tile_of(const KernelForm& form) {
  return {.pixels = form.w * form.h, .vectors = form.k};
}

std::vector<KernelForm> kernel_family(const VectorUnit& unit) {
  std::vector<KernelForm> family;
  const std::vector<KernelForm> reductions = reduction_blocks();
  for (const KernelForm& block : output_blocks(unit))
    for (const KernelForm& steps : reductions) {
      const KernelForm form{
          .w = block.w, .h = block.h, .k = block.k, .r = steps.r, .s = steps.s, .c = steps.c};
      if (is_small(form, unit) && fits_registers(tile_of(form), unit)) family.push_back(form);
    }
  std::ranges::sort(family);
  return family;
}

double peak_share(const FormRate& rate, const VectorUnit& unit) {
  return static_cast<double>(outputs(rate.form)) / unit.fma_units / rate.cycles_per_step;
}

std::vector<KernelClass> fast_classes(const std::vector<FormRate>& family, const VectorUnit& unit,
                                      double share) {
  double best = 0;
  for (const FormRate& rate : family) best = std::max(best, peak_share(rate, unit));
  std::map<KernelForm, std::vector<int>> heights;
  for (const FormRate& rate : family) {
    if (peak_share(rate, unit) < share * best) continue;
    KernelForm key = rate.form;
    key.h = 1;
    heights[key].push_back(rate.form.h);
  }
  std::vector<KernelClass> classes;
  classes.reserve(heights.size());
  for (auto& [form, list] : heights) classes.push_back({.form = form, .heights = std::move(list)});
  return classes;
}

Agreement agreement(const std::vector<FormRate>& a, const std::vector<FormRate>& b,
                    double tolerance) {
  Agreement result;
  auto other = b.begin();
  for (const FormRate& rate : a) {
    other =
        std::find_if_not(other, b.end(), [&](const FormRate& at) { return at.form < rate.form; });
    if (other == b.end() || other->form != rate.form) continue;
    ++result.common;
    if (std::abs(rate.cycles_per_step / other->cycles_per_step - 1) <= tolerance) ++result.close;
  }
  return result;
}

}  // namespace tileplan
