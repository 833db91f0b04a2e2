// SPDX-License-Identifier: Apache-2.0
// This file measures the speed of the cores on which the threads of a kernel run. These threads
// also run the probes, which are short loops of known length.
#pragma once

#include <vector>

#include "timer.h"

namespace tileplan {

/// Probes the cores of the calling thread's OpenMP team, which also runs kernels and oneDNN.
/// Threads are not pinned, because a thread that starts later inherits the cores of the thread that
/// starts it, so all would run on one core.
class Team {
 public:
  /// Makes a probe for each thread. Throws Error when this CPU lacks `isa`.
  Team(Isa isa, int threads, const Clock& clock);

  /// Returns the rates of all threads, which start together. OpenMP may grant fewer than `threads`.
  TeamRates probe();

  /// Returns the seconds for which the threads of the team have waited for cores, or 0 before the
  /// first probe. Threads that OpenMP has replaced are included. Only the thread that calls probe()
  /// may call this function.
  double queued_seconds() const;

 private:
  /// Describes one thread number of the team. OpenMP may give the number to another thread later.
  struct Member {
    Probe probe;
    int thread = 0;  ///< The thread id is 0 before the first probe.
    Clock queue = [] { return 0.0; };
    double queued_before = 0;  ///< Threads that had this number earlier waited this many seconds.
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
