// SPDX-License-Identifier: Apache-2.0
// Each link has one slowdown factor for short rows. Except on the link into the innermost cache,
// the factor also applies to the first two cache lines of written rows. If rows are in many pages,
// one factor applies to all links between two caches except the link into the innermost cache.
#include "short_rows.h"

#include <algorithm>
#include <cmath>

#include "branches.h"
#include "footprint.h"

namespace tileplan {
namespace {

/// Gives the number of cache lines at the start of a written row that are slow.
constexpr double kSlowLines = 2;
/// Counts the rows that hardware prefetchers follow at a time. The L2 streamer of Intel cores
/// follows 32 (Intel 64 and IA-32 Architectures Optimization Reference Manual); other cores were
/// not checked.
constexpr double kStreams = 32;
/// Rows in at most kFewPages pages load at full speed. With more pages, each doubling of their
/// number adds kSlowdownPerDoubling times the time at full speed. The values were measured on one
/// machine (docs/experiments.md).
constexpr double kFewPages = 128, kSlowdownPerDoubling = 0.1;
constexpr double kPageBytes = 4096;

/// Counts the rows that may be written at a time before their reads for ownership become slow. The
/// value was measured on one machine (docs/experiments.md).
constexpr double kWrittenRows = 64;

/// Returns the factor of cache lines in short rows on the link that fills cache `at`.
double factor_of(const Machine& machine, std::size_t at) {
  const ShortRows& times = machine.rates.overheads.short_rows;
  if (at + 1 == machine.caches.size()) return times.from_memory;
  return at == 0 ? times.from_second_level : times.from_cache;
}

double row_lines(const TensorAccess& tensor, const TensorLayout& read, const HeldRows& rows,
                 double line) {
  const double held = lines_in_a_row(tensor, read, rows.cut, line);
  const double count = lines(tensor, read, rows.cut, line) / held;
  if (held >= 1 && count > kStreams) return held;
  return lines_in_a_row(tensor, read, rows.walked, line);
}

}  // namespace

double short_row_penalty(const TensorAccess& tensor, const TensorLayout& read, const HeldRows& rows,
                         const Machine& machine, std::size_t at) {
  const double line = static_cast<double>(machine.caches[at].line_bytes) /
                      static_cast<double>(tensor.element_bytes());
  if (row_lines(tensor, read, rows, line) > rows.short_lines) return 1;
  return factor_of(machine, at);
}

double written_row_lines(const TensorAccess& output, const TensorLayout& layout, const Nest& nest,
                         double line) {
  const Nest branch = branches_of(nest).front().nest;
  double row = 0;
  for (std::size_t inside = branch.loops.size() + 1; inside-- > 0;) {
    const Tile box = box_inside(branch, inside);
    row = lines_in_a_row(output, layout, box, line);
    if (lines(output, layout, box, line) > kWrittenRows * row) break;
  }
  return row;
}

double written_row_penalty(double row_lines, const Machine& machine, std::size_t at) {
  if (at == 0) return 1;
  return 1 + (factor_of(machine, at) - 1) * std::min(1.0, kSlowLines / row_lines);
}

double pages_of_weights(const Computation& computation, const TensorLayout& layout,
                        const Tile& box) {
  const TensorAccess& weights = computation.tensor(Operand::weights);
  Tile last;
  for (int d = 0; d < computation.dims(); ++d)
    last[Dim{d}] = is_present(weights, Dim{d}) ? box[Dim{d}] - 1 : 0;
  const std::int64_t elements = element_at(weights, layout, last) + 1;
  const double row = lines_in_a_row(weights, layout, box, 1);
  const double rows = static_cast<double>(footprint(weights, box)) / row;
  const double page = kPageBytes / static_cast<double>(weights.element_bytes());
  return std::min(rows * std::max(1.0, row / page), static_cast<double>(elements) / page);
}

double many_pages_penalty(double pages, const Machine& machine, std::size_t at) {
  if (at == 0 || at + 1 == machine.caches.size() || pages <= kFewPages) return 1;
  return 1 + kSlowdownPerDoubling * std::log2(pages / kFewPages);
}

}  // namespace tileplan
