// SPDX-License-Identifier: Apache-2.0
// Watches all cores that a kernel on several threads uses, by the threads that it uses.
#pragma once

#include <vector>

#include "timer.h"

namespace tileplan {

/// The OpenMP team of the calling thread, on which kernels (`run_tasks`) and oneDNN run: its
/// threads probe the cores that they are on themselves. Others would have to share them with a team
/// that waits busily between two runs, and would not know which they are: the team is not pinned,
/// since threads that it starts later would all get the calling thread's core. One thread alone
/// does without OpenMP.
class Team {
 public:
  /// A probe of its own for each of `threads`. Throws Error when this CPU lacks `isa`.
  Team(Isa isa, int threads, const Clock& clock);

  /// The rates of all threads, which begin together. Fewer where the runtime grants fewer threads.
  TeamRates probe();

  /// Seconds that the threads of the last probe, and those that were in their places before, have
  /// waited for their cores, added up; 0 before the first. For the calling thread only.
  double queued_seconds() const;

 private:
  /// A place in the team. The runtime may put another thread there.
  struct Member {
    Probe probe;
    int thread = 0;                    ///< the one that is there; 0: none yet
    Clock queue = [] { return 0.0; };  ///< of that one
    double queued_before = 0;          ///< seconds that those before it have waited
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
