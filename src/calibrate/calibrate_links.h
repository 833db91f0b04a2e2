// SPDX-License-Identifier: Apache-2.0
// This file measures bandwidths, prefetch distances, the overlap exponent, the additional cycles
// for reading rows of unpacked weights that evict each other, and usable cache capacities.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "buffers.h"
#include "capacity_sweep.h"
#include "gated_timer.h"
#include "microkernel.h"
#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the number of bytes to stream from memory: eight times the last cache, which keeps a
/// part of smaller streams until the next pass, but at least 64 and at most 640 MiB.
std::int64_t longest_stream(const Machine& machine);

/// Describes how tiles are stored.
struct Stores {
  bool streamed = false;  ///< If true, the stores bypass the caches.
  /// The pixels of a tile are this many bytes apart; with 0, they are adjacent.
  std::int64_t row_stride = 0;
};

/// Describes how a microkernel reads.
struct Reads {
  int prefetch = 0;  ///< Gives the prefetch distance of the weights in steps.
  /// The pixels read rows of the input that are this many bytes apart; with 0, they read one row.
  std::int64_t row_stride = 0;
  /// Rows of weights are this many bytes apart; without a value, they are adjacent.
  std::optional<std::int64_t> weight_stride = {};
};

/// Measures the links between the caches of a machine. The loads are a microkernel's reads of
/// weights, and the stores are its writes of tiles. Allocates longest_stream() bytes and 3 MiB
/// more.
class Links {
 public:
  /// Takes up to `samples` undisturbed samples for each median of cycles, and at least `samples`
  /// samples for each rate of stores. Keeps a reference to `timer`.
  Links(const Machine& machine, const Clock& clock, GatedTimer& timer, int samples);

  /// Measures the bandwidth into each cache by the median of passes through data that fits only in
  /// the next level. The highest rates of all calls are kept. Calls should be far apart in time,
  /// because another program may fill a shared cache for seconds. Stores are measured to
  /// neighbouring cache lines, to cache lines of one set, and past the caches.
  void measure_bandwidths(Machine& machine);
  /// Finds the best prefetch distances, by tiles that load about as many weights as the link can
  /// bring. A tile of two vectors with half of the pixels that fit the registers gives the distance
  /// for weights from beyond the second cache. A tile of four pixels and up to four vectors gives
  /// the distance for weights in the second cache. Requires two caches.
  void measure_prefetch(Machine& machine);
  /// Fits the overlap exponent (overlap_fit.h), or adds a note. Requires two caches, and that the
  /// clock, the tile rates and the bandwidths are measured.
  void measure_overlap(Machine& machine);
  /// Measures the cycles of rows of weights in place (RowsInPlace), or adds a note. Requires two
  /// caches.
  void measure_rows_in_place(Machine& machine);
  /// Sets `usable`, the share of each cache that holds a working set, by timing working sets of
  /// many sizes, or adds a note.
  void measure_capacities(Machine& machine);

  /// Returns at least kKernelBytes for kernels whose data stay in the caches.
  char* memory() { return reinterpret_cast<char*>(memory_.data()); }

 private:
  /// A call reads the weights of `steps` steps, and the next call reads the next one of `pieces`
  /// pieces of memory. A single piece stays in a cache.
  struct Stream {
    std::int64_t steps = 0;
    std::int64_t pieces = 1;
  };

  /// Returns the cycles of a step, or infinity when other programs disturbed the measurement.
  double cycles_per_step(const Machine& machine, RegisterTile tile, const Stream& stream,
                         int prefetch);
  /// Returns the prefetch distance with the least sum of cycles_per_step() over `streams`, in steps
  /// of tiles of two vectors. A longer distance must save more than 1 % of the cycles.
  int fastest_distance(const Machine& machine, RegisterTile tile,
                       const std::vector<Stream>& streams);
  /// These functions return the median bytes per second of loading weights or storing tiles.
  double load_rate(const Machine& machine, std::int64_t bytes, double seconds);
  double store_rate(const Machine& machine, std::int64_t bytes, const Stores& stores);
  /// Reads `bytes` bytes twice, piece by piece, and returns the bytes per second of the second
  /// time. A pause follows each piece, so that reading takes a fifth of all time. The rate does not
  /// count the pauses.
  double paced_load_rate(const Machine& machine, std::int64_t bytes);
  /// Times working sets around the size of the cache number `level`. Leaves out those of more than
  /// longest_stream() bytes.
  std::vector<SweepPoint> sweep(const Machine& machine, std::size_t level);
  /// Returns the median rate of at least `walks` calls of `kernel` on `row`, which are repeated for
  /// `seconds`.
  double median_rate(std::int64_t bytes, const TileGrid& row, const Microkernel& kernel, int walks,
                     double seconds) const;
  /// Returns a call of a tile that reads its weights once. The rows of its input are far apart.
  GatedTimer::Call stream_call(const Machine& machine, RegisterTile tile, const Stream& stream,
                               Reads reads);
  /// Returns a list with one entry, the median cycles of a stream_call(), or nothing when other
  /// programs disturbed the measurement.
  std::optional<std::vector<double>> measure_stream_cycles(const Machine& machine,
                                                           RegisterTile tile, const Stream& stream,
                                                           int prefetch);

  Clock clock_;
  GatedTimer& timer_;
  int samples_;
  /// Holds the highest rates into and out of each cache so far.
  std::vector<double> fills_, writes_, conflicts_;
  double streamed_ = 0;
  std::int64_t stream_bytes_;
  Buffer memory_;
};

}  // namespace tileplan
