// SPDX-License-Identifier: Apache-2.0
// Work runs before samples are taken, so that samples begin with the caches in the state in which
// runs leave them.
#pragma once

namespace tileplan {

/// Calls `time_run`, which returns the seconds of a run, until a run saves at most 3 % of the
/// time of the run before, or `may_go_on` returns false. Returns the time of the last run. Several
/// runs are needed where a cache does not evict the least recently used data, because such a cache
/// keeps the data of a run only after several runs.
template <class TimeRun, class MayGoOn>
double warm_up(const TimeRun& time_run, const MayGoOn& may_go_on) {
  constexpr double kStillWarming = 0.03;
  double before = time_run(), last = before;
  while (may_go_on()) {
    last = time_run();
    if (last >= (1 - kStillWarming) * before) break;
    before = last;
  }
  return last;
}

}  // namespace tileplan
