// SPDX-License-Identifier: Apache-2.0
// Each link has one slowdown factor, which applies to rows of up to two cache lines.
#include "short_rows.h"

#include "footprint.h"

namespace tileplan {
namespace {

/// Gives the largest length of a short row, in cache lines.
constexpr double kLongRow = 2;
/// Counts the rows that hardware prefetchers follow at a time. The L2 streamer of Intel cores
/// follows 32 (Intel 64 and IA-32 Architectures Optimization Reference Manual); other cores were
/// not checked.
constexpr double kStreams = 32;

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
  const std::vector<CacheLevel>& caches = machine.caches;
  const double line =
      static_cast<double>(caches[at].line_bytes) / static_cast<double>(tensor.element_bytes());
  if (at == 0 || row_lines(tensor, read, rows, line) > kLongRow) return 1;
  const ShortRows& times = machine.rates.overheads.short_rows;
  return at + 1 == caches.size() ? times.from_memory : times.from_cache;
}

}  // namespace tileplan
