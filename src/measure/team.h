// SPDX-License-Identifier: Apache-2.0
// Probes the cores of a kernel on several threads. The threads that run the kernel run the probes.
#pragma once

#include <vector>

#include "timer.h"

namespace tileplan {

/// Probes the cores of the calling thread's OpenMP team, which also runs kernels and oneDNN. The
/// team is not pinned, since threads that start later would all inherit one core.
class Team {
 public:
  /// Makes one probe per thread. Throws Error when this CPU lacks `isa`.
  Team(Isa isa, int threads, const Clock& clock);

  /// Returns the rates of all threads, which begin together. OpenMP may grant fewer than `threads`.
  TeamRates probe();

  /// Returns the total seconds that the threads of the last probe, and earlier threads in their
  /// places, have waited for cores, or 0 before the first probe. Only the calling thread may call
  /// this.
  double queued_seconds() const;

 private:
  /// Describes a place in the team. OpenMP may later assign another thread to the place.
  struct Member {
    Probe probe;
    int thread = 0;  ///< The thread id is 0 before the first probe.
    Clock queue = [] { return 0.0; };
    double queued_before = 0;  ///< Earlier threads in this place waited this long.
  };
  static Rates rates_of(Member& member);

  std::vector<Member> members_;
};

}  // namespace tileplan
