// SPDX-License-Identifier: Apache-2.0
// This file probes the cores of an OpenMP team, and reads how long its threads waited in run
// queues.
#include "team.h"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "fork_safety.h"

namespace tileplan {

Team::Team(Isa isa, int threads, const Clock& clock) {
  for (int i = 0; i < threads; ++i) members_.push_back({.probe = make_probe(isa, clock)});
}

TeamRates Team::probe() {
  if (members_.size() == 1) return {rates_of(members_.front())};
  release_threads_before_forks();
  TeamRates rates;
#pragma omp parallel num_threads(static_cast <int>(members_.size()))
  {
#pragma omp single
    rates.resize(static_cast<std::size_t>(omp_get_num_threads()));
    // The barrier at the end of `single` makes all threads begin at the same time.
    const auto place = static_cast<std::size_t>(omp_get_thread_num());
    rates[place] = rates_of(members_[place]);
    rates[place].core = sched_getcpu();
  }
  std::ranges::sort(rates, {}, &Rates::core);
  return rates;
}

Rates Team::rates_of(Member& member) {
  if (member.thread != gettid()) {
    member.queued_before += member.queue();
    member.queue = queue_clock();
    member.thread = gettid();
  }
  return member.probe();
}

double Team::queued_seconds() const {
  double seconds = 0;
  for (const Member& member : members_) seconds += member.queued_before + member.queue();
  return seconds;
}

}  // namespace tileplan
