// SPDX-License-Identifier: Apache-2.0
// Watches the cores of a kernel on several threads by the threads that run it.
#pragma once

#include <vector>

#include "timer.h"

namespace tileplan {

/// The OpenMP team of the calling thread, on which kernels and oneDNN run, probes its own cores. It
/// is not pinned, since threads that it starts later would all get one core.
class Team {
 public:
  /// Makes a probe for each of `threads`. Throws Error when this CPU lacks `isa`.
  Team(Isa isa, int threads, const Clock& clock);

  /// Returns the rates of all threads, which begin together. The runtime may grant fewer threads.
  TeamRates probe();

  /// Returns the seconds, added up, that the threads of the last probe and their predecessors have
  /// waited for their cores, or 0 before the first probe. Only the calling thread may ask.
  double queued_seconds() const;

 private:
  /// Describes a place in the team, to which the runtime may assign another thread later.
  struct Member {
    Probe probe;
    int thread = 0;  ///< The id is 0 as long as there is no thread.
    Clock queue = [] { return 0.0; };
    double queued_before = 0;  ///< The thread's predecessors have waited for so many seconds.
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
