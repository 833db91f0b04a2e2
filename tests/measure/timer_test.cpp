// SPDX-License-Identifier: Apache-2.0
// This test checks the sentinel with made-up rates, the probes, the peak rate, the clock of waiting
// time, and pinned threads.
#include "timer.h"

#include <doctest/doctest.h>
#include <xbyak/xbyak_util.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "close_to.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

Rates both(double rate) { return {.flops = rate, .bytes_per_second = rate}; }

BestRates after(const std::vector<Rates>& all) {
  BestRates best;
  for (const Rates& rates : all) best.remember(rates);
  return best;
}

/// Returns the rates of cores that are numbered from 0.
TeamRates cores(const std::vector<double>& rates) {
  TeamRates all;
  for (const double rate : rates) {
    all.push_back(both(rate));
    all.back().core = static_cast<int>(all.size()) - 1;
  }
  return all;
}

Sentinel used_to(const TeamRates& rates) {
  Sentinel sentinel([rates] { return rates; });
  for (int i = 0; i < 3; ++i) sentinel.probe();
  return sentinel;
}

int allowed_cores() {
  cpu_set_t cores;
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  return CPU_COUNT(&cores);
}

}  // namespace

TEST_CASE("sentinel: a slower clock is quiet, a shared core is not") {
  const BestRates seen = after({both(100), both(100), both(100)});
  CHECK(seen.is_quiet(both(80)));
  CHECK_FALSE(seen.is_quiet(both(79.9)));
  CHECK_FALSE(seen.is_quiet(both(60)));
}

TEST_CASE("sentinel: a sample belongs to one clock") {
  const BestRates seen = after({both(100), both(100), both(100)});
  CHECK(seen.is_quiet(both(85), both(86.5)));
  CHECK_FALSE(seen.is_quiet(both(85), both(87)));
  CHECK_FALSE(seen.is_quiet(both(60), both(60)));
}

TEST_CASE("sentinel: the cache is judged per cycle") {
  const BestRates seen = after({both(100), both(100), both(100)});
  CHECK(seen.is_quiet({.flops = 84, .bytes_per_second = 60}));
  CHECK_FALSE(seen.is_quiet({.flops = 84, .bytes_per_second = 59}));
}

TEST_CASE("sentinel: a neighbour that only takes the cache is seen") {
  const BestRates seen = after({both(100), both(100), both(100)});
  CHECK(seen.is_quiet({.flops = 100, .bytes_per_second = 71}));
  CHECK_FALSE(seen.is_quiet({.flops = 100, .bytes_per_second = 70.9}));
}

TEST_CASE("sentinel: a core whose microkernels are slowed is seen when its multiply-adds are not") {
  const Rates best{.flops = 100, .bytes_per_second = 100, .loading_flops = 98};
  const BestRates seen = after({best, best, best});
  CHECK(seen.is_quiet({.flops = 85, .bytes_per_second = 85, .loading_flops = 82}));
  CHECK_FALSE(seen.is_quiet({.flops = 97, .bytes_per_second = 97, .loading_flops = 75}));
  CHECK_FALSE(seen.is_quiet({.flops = 85, .bytes_per_second = 85, .loading_flops = 77}));
}

TEST_CASE("sentinel: rates that passed as quiet on a slow machine do not once it is fast") {
  BestRates seen = after({both(60), both(60), both(60)});
  CHECK(seen.is_quiet(both(60)));
  for (int i = 0; i < 3; ++i) seen.remember(both(100));
  CHECK(seen.best().flops == 100);
  CHECK_FALSE(seen.is_quiet(both(60)));
}

TEST_CASE("sentinel: two lucky shots do not set the standard") {
  const BestRates seen = after({both(100), both(900), both(99), both(400), both(98), both(100)});
  CHECK(seen.best().flops == 100);
  CHECK(seen.is_quiet(both(98)));
}

TEST_CASE("sentinel: the first probe is the standard as long as it is alone") {
  const BestRates seen = after({both(50)});
  CHECK(seen.best().flops == 50);
  CHECK(seen.is_quiet(both(50)));
}

TEST_CASE("sentinel: times are scaled to the fastest clock") {
  const Sentinel sentinel = used_to({both(100)});
  CHECK(sentinel.clock_share({both(85)}, {both(86)}) == close_to(0.855));
  CHECK(sentinel.clock_share({both(101)}, {both(101)}) == 1);
}

TEST_CASE("sentinel: one disturbed core is enough, whichever it is") {
  const Sentinel sentinel = used_to(cores({100, 100}));
  CHECK(sentinel.is_quiet(cores({85, 100})));
  CHECK_FALSE(sentinel.is_quiet(cores({100, 60})));
  CHECK_FALSE(sentinel.is_quiet(cores({60, 100})));
  CHECK(sentinel.is_quiet(cores({85, 100}), cores({86, 100})));
  CHECK_FALSE(sentinel.is_quiet(cores({100, 100}), cores({100, 60})));
  CHECK_FALSE(sentinel.is_quiet(cores({100, 85}), cores({100, 90})));
}

TEST_CASE("sentinel: each core is judged by its own best, times by the slowest") {
  const Sentinel sentinel = used_to(cores({100, 60}));
  CHECK(sentinel.is_quiet(cores({100, 60})));
  CHECK_FALSE(sentinel.is_quiet(cores({60, 60})));
  CHECK(sentinel.best().flops == 60);
  CHECK(sentinel.clock_share(cores({85, 60}), cores({85, 60})) == 1);
  CHECK(sentinel.clock_share(cores({100, 54}), cores({100, 54})) == close_to(0.9));
}

TEST_CASE("sentinel: two threads that took turns on one core were not undisturbed") {
  const Sentinel sentinel = used_to(cores({100, 100}));
  CHECK_FALSE(sentinel.is_quiet({both(100), both(100)}));
  CHECK_FALSE(sentinel.is_quiet({both(100), both(100)}, {both(100), both(100)}));
}

TEST_CASE("sentinel: a sample belongs to one set of cores") {
  Sentinel sentinel([watched = cores({100, 100, 100})] { return watched; });
  sentinel.probe();
  const TeamRates three = cores({100, 100, 100});
  CHECK(sentinel.is_quiet({three[0], three[1]}, {three[0], three[1]}));
  CHECK_FALSE(sentinel.is_quiet({three[0], three[1]}, {three[0], three[2]}));
  CHECK_FALSE(sentinel.is_quiet({three[0], three[1]}, {three[0]}));
}

TEST_CASE("probe: rates follow the clock that was given") {
  // Each reading of this clock is one second later, so every timed interval takes one second.
  const Clock clock = [now = 0.0]() mutable { return now += 1; };
  if (!Xbyak::util::Cpu().has(Xbyak::util::Cpu::tAVX2)) return;
  const Rates rates = make_probe(Isa::avx2, clock, 64 << 10)();
  CHECK(rates.flops == 12'000 * 12 * 8 * 2);
  CHECK(rates.bytes_per_second == 2560 << 10);
  CHECK(rates.loading_flops == (1536 << 10) / 4 * 12);
}

TEST_CASE("probe: an instruction set that this CPU does not have is refused by name") {
  CHECK_THROWS_WITH_AS(make_probe(Isa::neon), "probe: this CPU cannot run neon instructions",
                       Error);
}

TEST_CASE("measure_peak_flops: AVX2 has a plausible rate, and AVX-512 at least 0.7 of it") {
  const Xbyak::util::Cpu cpu;
  if (!cpu.has(Xbyak::util::Cpu::tAVX2)) return;
  const double narrow = measure_peak_flops(Isa::avx2);
  CHECK(narrow > 1e9);
  CHECK(narrow < 1e12);
  if (!cpu.has(Xbyak::util::Cpu::tAVX512F)) return;
  // A core with one 512-bit FMA unit and a lower clock also passes this check.
  CHECK(measure_peak_flops(Isa::avx512) > 0.7 * narrow);
}

TEST_CASE("queue clock: moves when another thread takes the core, and not by more than that") {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) return;
  const PinnedThread pinned;
  const Clock now = steady_clock(), queue = queue_clock();
  const double start = now(), queued = queue();
  std::atomic<bool> stop{false};
  std::thread rival([&] {  // This thread is pinned to the same core, so both share it.
    while (!stop) {
    }
  });
  while (now() < start + 5 && queue() <= queued) {
  }
  const double waited = queue() - queued, passed = now() - start;
  stop = true;
  rival.join();
  CHECK(waited > 0);
  CHECK(waited <= passed);
}

TEST_CASE("queue clock: stands still when its thread has ended") {
  if (!std::filesystem::exists("/proc/thread-self/schedstat")) return;
  Clock queue;
  double last = 0;
  std::thread([&] {
    queue = queue_clock();
    const Clock now = steady_clock();
    const double end = now() + 5;
    // The thread waits for the core for a short time after each sleep.
    while ((last = queue()) == 0 && now() < end)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }).join();
  CHECK(last > 0);
  CHECK(queue() == last);
}

TEST_CASE("pinned thread: one core while it lives, all of them afterwards") {
  const int before = allowed_cores();
  {
    const int core = sched_getcpu();
    const PinnedThread pinned(core);
    CHECK(allowed_cores() == 1);
    CHECK(sched_getcpu() == core);
  }
  CHECK(allowed_cores() == before);
}

TEST_CASE("pinned thread: a core that does not exist is refused by number") {
  CHECK_THROWS_WITH_AS(PinnedThread(1'000'000),
                       "pin: core 1000000 is not one that this thread may use", Error);
}
