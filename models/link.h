// SPDX-License-Identifier: Apache-2.0
// These functions convert bytes to seconds by the bandwidths of a link.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Returns the write bandwidth of the link, or its read bandwidth if the former is unknown.
inline double write_rate(const CacheLevel& level) {
  return level.write_bytes_per_second > 0 ? level.write_bytes_per_second
                                          : level.fill_bytes_per_second;
}

/// Returns the time of a write relative to that of a read. Requires a link of known bandwidth.
inline double write_cost(const CacheLevel& level) {
  return level.fill_bytes_per_second / write_rate(level);
}

/// Returns t_l of models/README.md eq. (T), or 0 for a link of unknown bandwidth.
inline double link_seconds(const CacheLevel& level, double read_bytes, double written_bytes) {
  const auto seconds = [](double bytes, double rate) { return rate > 0 ? bytes / rate : 0; };
  return seconds(read_bytes, level.fill_bytes_per_second) +
         seconds(written_bytes, write_rate(level));
}

}  // namespace tileplan
