// SPDX-License-Identifier: Apache-2.0
// Measures bandwidths, prefetch distance, overlap and effective capacities of the caches.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "buffers.h"
#include "gated_timer.h"
#include "microkernel.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Measures the links between the caches of one machine with the microkernel's own weight stream
/// (loads) and its stores. Allocates twice the last cache, 640 MiB at most.
class Links {
 public:
  /// Each gated measurement takes `samples`. Keeps references to `clock` and `timer`.
  Links(const Machine& machine, const Clock& clock, GatedTimer& timer, int samples);

  /// Measures bandwidths by the fastest passes through working sets that only the next level holds.
  /// Calls should be far apart, because a neighbour that fills a shared cache stays for seconds.
  void measure_bandwidths(Machine& machine);
  /// Finds the best prefetch distance of the largest tile of two vectors. Requires: two caches.
  void measure_prefetch(Machine& machine);
  /// Finds the overlap exponent, or adds a note. Requires: measured tile rates and bandwidths.
  void measure_overlap(Machine& machine);
  /// Sets `usable` of each cache where a sweep of working sets tells it, else adds a note.
  void measure_capacities(Machine& machine);

  /// Returns at least kKernelBytes, for kernels that work inside the caches.
  char* memory() { return reinterpret_cast<char*>(memory_.data()); }

 private:
  /// Return the best bytes per second of passes that load weights or store tiles.
  double load_rate(const Machine& machine, std::int64_t bytes, double seconds);
  double store_rate(const Machine& machine, std::int64_t bytes);
  double fastest_rate(std::int64_t bytes, const TileGrid& row, const Microkernel& kernel, int walks,
                      double seconds) const;
  /// Returns the cycles of a tile of two vectors whose weights stream, unless it was disturbed.
  std::optional<std::vector<double>> measure_stream_cycles(const Machine& machine, int pixels,
                                                           std::int64_t steps, int prefetch);

  Clock clock_;
  GatedTimer& timer_;
  int samples_;
  std::vector<double> fills_, writes_;  ///< Each cache has its fastest so far.
  std::int64_t stream_bytes_;
  Buffer memory_;
};

}  // namespace tileplan
