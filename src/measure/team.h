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

  /// Returns the rates of all threads, which begin together; the runtime may grant fewer threads.
  TeamRates probe();

  /// Returns the seconds, added up, that the threads of the last probe and their predecessors have
  /// waited for their cores; 0 before the first probe. For the calling thread only.
  double queued_seconds() const;

 private:
  /// A place in the team. The runtime may put another thread there.
  struct Member {
    Probe probe;
    int thread = 0;                    ///< its id; 0: none yet
    Clock queue = [] { return 0.0; };  ///< of this thread
    double queued_before = 0;          ///< seconds that its predecessors have waited
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
