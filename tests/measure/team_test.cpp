// SPDX-License-Identifier: Apache-2.0
// This test checks which threads of a team probe the cores, and whose waiting time counts.
#include "team.h"

#include <doctest/doctest.h>
#include <xbyak/xbyak_util.h>

#include <algorithm>
#include <filesystem>

#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

bool has_avx2() { return Xbyak::util::Cpu().has(Xbyak::util::Cpu::tAVX2); }

}  // namespace

TEST_CASE("team: one rate per thread, in the order of the cores") {
  if (!has_avx2()) return;
  Team team(Isa::avx2, 3, steady_clock());
  const TeamRates rates = team.probe();
  REQUIRE(rates.size() == 3);
  for (const Rates& one : rates) {
    CHECK(one.flops > 0);
    CHECK(one.bytes_per_second > 0);
    CHECK(one.loading_flops > 0);
  }
  CHECK(std::is_sorted(rates.begin(), rates.end(),
                       [](const Rates& a, const Rates& b) { return a.core < b.core; }));
}

TEST_CASE("team: of one thread, the core is not told apart") {
  if (!has_avx2()) return;
  const TeamRates rates = Team(Isa::avx2, 1, steady_clock()).probe();
  REQUIRE(rates.size() == 1);
  CHECK(rates[0].core == 0);
  CHECK(rates[0].flops > 0);
}

TEST_CASE("team: no thread has waited before the first probe") {
  if (!has_avx2()) return;
  CHECK(Team(Isa::avx2, 2, steady_clock()).queued_seconds() == 0);
}

TEST_CASE("team: the waiting of the threads that run tasks counts, not only the caller's") {
  if (!has_avx2() || !std::filesystem::exists("/proc/thread-self/schedstat")) return;
  Team team(Isa::avx2, 2, steady_clock());
  team.probe();
  const Clock now = steady_clock(), queue = queue_clock();
  const double team_before = team.queued_seconds(), caller_before = queue();
  double caller = 0, others = 0;
  // A new attempt is made if the tasks ran one after the other.
  for (int attempt = 0; attempt < 20 && (caller <= 0 || others <= 0); ++attempt) {
    const double end = now() + 0.2;
    const int core = sched_getcpu();
    run_tasks(2, [&](int) {  // Both tasks run on one core, so that each waits for the other.
      const PinnedThread pinned(core);
      while (now() < end) {
      }
    });
    caller = queue() - caller_before;
    others = team.queued_seconds() - team_before - caller;
  }
  CHECK(caller > 0);
  CHECK(others > 0);
}
