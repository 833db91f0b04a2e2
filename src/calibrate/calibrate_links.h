// SPDX-License-Identifier: Apache-2.0
// Bandwidths, prefetch distance, overlap and effective capacities of the caches.
#pragma once

#include <cstdint>
#include <vector>

#include "buffers.h"
#include "gated_timer.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Measures what lies between the caches of one machine, with the microkernel's own weight stream
/// (reads) and its stores. Needs memory of twice the last cache, 640 MiB at most.
class Links {
 public:
  /// `samples`: of each gated measurement. Keeps references to `clock` and `timer`.
  Links(const Machine& machine, const Clock& clock, GatedTimer& timer, int samples);

  /// Bandwidths of the fastest walks, in this call and those before it, over working sets that fit
  /// the next level only. To be called at moments far apart: a neighbour that fills a shared cache
  /// stays for seconds, and no probe of the core sees it.
  void measure_bandwidths(Machine& machine);
  /// The prefetch distance with which the largest tile of two vectors runs fastest on weights from
  /// L2; needs two caches.
  void measure_prefetch(Machine& machine);
  /// The overlap exponent, from tiles of two vectors whose weights stream; needs their rates and
  /// the bandwidths. Notes when no undisturbed sample tells it.
  void measure_overlap(Machine& machine);
  /// `usable` of each cache, where a sweep of working sets tells it; the others keep theirs, with a
  /// note.
  void measure_capacities(Machine& machine);

  /// At least kKernelBytes, for kernels that work inside the caches.
  char* memory() { return reinterpret_cast<char*>(memory_.data()); }

 private:
  double stream_rate(const Machine& machine, std::int64_t bytes, bool write);
  double fastest_walk(const Machine& machine, std::int64_t bytes, double seconds);
  double streamed_cycles(const Machine& machine, int pixels, std::int64_t steps, int prefetch);

  Clock clock_;
  GatedTimer& timer_;
  int samples_;
  std::vector<double> fills_, writes_;  // of each cache, fastest so far
  std::int64_t stream_bytes_;
  Buffer memory_;
};

}  // namespace tileplan
