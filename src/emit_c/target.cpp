// SPDX-License-Identifier: Apache-2.0
// This file holds the table of targets. A new target needs one more row.
#include "target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "names.h"
#include "throughput.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr std::array<TargetRow, 5> kTargets = {{
    {Target::scalar, "scalar", 1, "", ""},
    {Target::avx2, "avx2", 8, "avx2,fma", "+x"},
    {Target::avx512, "avx512", 16, "avx512f", "+v"},
    {Target::avx512vl, "avx512vl", 8, "avx512f,avx512vl", "+v"},
    {Target::neon, "neon", 4, "", "+w"},
}};

}  // namespace

const TargetRow& target_row(Target target) { return kTargets[static_cast<std::size_t>(target)]; }

bool has_memory_operands(Target target) {
  const std::optional<Isa> isa = isa_of(target);
  return isa && has_masks(*isa);
}

void check_target(const Schedule& schedule, Target target) {
  if (schedule.isa && schedule.isa != isa_of(target))
    throw Error("schedule: isa=" + to_string(*schedule.isa) + "; must be that of the C, " +
                to_string(target));
}

int lanes_of(Target target, ElementType type) {
  constexpr int kRowBytes = 4;  // The table of targets counts lanes of 4 bytes (f32).
  return std::max(1, target_row(target).lanes * kRowBytes / static_cast<int>(bytes_of(type)));
}

std::string to_string(Target target) { return target_row(target).name; }

std::optional<Isa> isa_of(Target target) { return parse_isa(to_string(target)); }

Target parse_target(const std::string& text) {
  Names<Target, kTargets.size()> names;
  std::ranges::transform(kTargets, names.begin(),
                         [](const TargetRow& row) { return std::pair(row.target, row.name); });
  return parse_name(names, "isa", text);
}

}  // namespace tileplan
