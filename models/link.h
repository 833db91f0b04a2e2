// SPDX-License-Identifier: Apache-2.0
// These functions return the rates of links between memory levels, and the times of transfers.
#pragma once

#include <algorithm>

#include "capacity.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the rate of stores in bytes per second, including their reads for ownership. If the rate
/// was not measured, returns the read bandwidth.
inline double write_rate(const CacheLevel& level) {
  return level.write_bytes_per_second > 0 ? level.write_bytes_per_second
                                          : level.fill_bytes_per_second;
}

/// Returns the time by which a store takes longer than its read for ownership, divided by the time
/// of reading as many bytes. It is negative, but above -1, if stores are faster than reads.
/// Requires a link of known bandwidth.
inline double write_cost(const CacheLevel& level) {
  return level.fill_bytes_per_second / write_rate(level) - 1;
}

/// Returns t_l of models/README.md eq. (T) without non-temporal stores, in seconds, or 0 for a link
/// of unknown bandwidth. `read_bytes` includes reads for ownership. If stores are faster than
/// reads, only stores whose reads for ownership are among `read_bytes` save time.
inline double link_seconds(const CacheLevel& level, double read_bytes, double written_bytes) {
  if (level.fill_bytes_per_second <= 0) return 0;
  const double cost = write_cost(level);
  const double priced = cost < 0 ? std::min(read_bytes, written_bytes) : written_bytes;
  return (read_bytes + cost * priced) / level.fill_bytes_per_second;
}

/// Returns a lower bound of link_seconds() for at least `read_bytes` and `written_bytes`. If stores
/// are faster than reads, all reads may belong to stores.
inline double least_link_seconds(const CacheLevel& level, double read_bytes, double written_bytes) {
  const bool has_faster_stores = level.fill_bytes_per_second > 0 && write_cost(level) < 0;
  return link_seconds(level, read_bytes, has_faster_stores ? read_bytes : written_bytes);
}

/// Returns the rate at which `cores` cores together load into cache `at`, divided by the rate of
/// one core. Private caches have a link for each core. Shared last caches, one per
/// `shared_by_cores` cores, are each filled from the memory next to them at the joint rate of the
/// cores that share one, but together at most at the rates of `cores` single cores. Other shared
/// caches are filled at the rate of one core. The result is 1 too for a shared last cache of
/// unknown bandwidth, or whose joint rate was not measured or does not exceed that of one core.
inline double link_speed(const Machine& machine, std::size_t at, int cores) {
  const CacheLevel& cache = machine.caches[at];
  if (cache.shared_by_cores == 1) return cores;
  const double alone = cache.fill_bytes_per_second, joint = machine.rates.joint_bytes_per_second;
  if (at + 1 < machine.caches.size() || alone <= 0 || joint <= alone) return 1;
  return std::min<double>(cores, caches_used(cache, cores) * joint / alone);
}

/// Returns the time of non-temporal stores of `bytes`, which reach memory without reading their
/// cache lines. If their rate was not measured, they are as fast as stores through the last cache.
/// Returns 0 for a machine without caches or without a known rate.
inline double streamed_seconds(const Machine& machine, double bytes) {
  if (machine.caches.empty()) return 0;
  const double known = machine.rates.streamed_bytes_per_second;
  const double rate = known > 0 ? known : write_rate(machine.caches.back());
  return rate > 0 ? bytes / rate : 0;
}

}  // namespace tileplan
