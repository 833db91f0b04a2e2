// SPDX-License-Identifier: Apache-2.0
// This file measures the speed of the cores on which the threads of a kernel run. These threads
// also run the probes, which are short loops of known length.
#pragma once

#include <vector>

#include "timer.h"

namespace tileplan {

/// Probes the cores of the calling thread's OpenMP team, which also runs kernels and oneDNN.
/// Threads are not pinned, because threads that start later would all inherit one core.
class Team {
 public:
  /// Makes a probe for each thread. Throws Error when this CPU lacks `isa`.
  Team(Isa isa, int threads, const Clock& clock);

  /// Returns the rates of all threads, which start together. OpenMP may grant fewer than `threads`.
  TeamRates probe();

  /// Returns the seconds for which the threads of the team have waited for cores, or 0 before the
  /// first probe. Includes threads that OpenMP has replaced. Only the calling thread may call it.
  double queued_seconds() const;

 private:
  /// Describes one place in the team. OpenMP may assign another thread to it later.
  struct Member {
    Probe probe;
    int thread = 0;  ///< The id is 0 before the first probe.
    Clock queue = [] { return 0.0; };
    double queued_before = 0;  ///< Earlier threads in this place waited this many seconds.
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
