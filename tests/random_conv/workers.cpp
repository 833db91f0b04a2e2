// SPDX-License-Identifier: Apache-2.0
// Each worker process describes its current case in memory that it shares with the parent process,
// so that the parent can report the case after a crash.
#include "workers.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace tileplan::test {

namespace {

using Clock = std::chrono::steady_clock;

// A seed is given up after this many drawn cases that do not compile. Half of all draws are
// refused, and some kinds of case more often, so with much fewer draws long runs would fail by
// chance.
constexpr int kDraws = 50;
// The text of a case is cut off when it does not fit in this number of bytes.
constexpr std::size_t kText = 1 << 11;

struct Shared {
  Tally tally;
  std::uint64_t seed = 0;  ///< The worker process runs this seed, or starts it next.
  char text[kText] = {};   ///< The text describes the current case.
};

Shared* map_shared(std::size_t count) {
  void* const memory = mmap(nullptr, count * sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap failed");
  return new (memory) Shared[count];
}

void fail(Shared& shared, const std::string& why) {
  ++shared.tally.failed;
  std::printf("seed %llu: %s\n  %s\n", static_cast<unsigned long long>(shared.seed), why.c_str(),
              shared.text);
  std::fflush(stdout);
}

void run_seed(Shared& shared, bool use_peer) {
  Random random(static_cast<Random::result_type>(shared.seed));
  for (int i = 0; i < kDraws; ++i) {
    const RandomCase drawn = random_case(random);
    std::snprintf(shared.text, kText, "%s", to_string(drawn).c_str());
    const Outcome outcome = check(drawn, random, use_peer);
    if (outcome.verdict == Verdict::refused) {
      ++shared.tally.refused;
      continue;
    }
    if (outcome.verdict == Verdict::wrong) fail(shared, outcome.text);
    count_features(drawn, shared.tally.features);
    shared.tally.by_peer += outcome.by_peer ? 1 : 0;
    ++shared.tally.run;
    return;
  }
  ++shared.tally.unfit;
}

class Workers {
 public:
  explicit Workers(const Seeds& seeds)
      : seeds_(seeds),
        count_(std::max(1U, std::thread::hardware_concurrency())),
        shared_(map_shared(count_)),
        processes_(count_) {
    for (std::size_t worker = 0; worker < count_; ++worker) {
      shared_[worker].seed = seeds.first + worker;
      start(worker);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() { munmap(shared_, count_ * sizeof(Shared)); }

  Tally wait_for_all() {
    for (std::size_t worker = 0; worker < count_; ++worker) wait_for(worker);
    Tally total;
    for (std::size_t worker = 0; worker < count_; ++worker) add(shared_[worker].tally, total);
    return total;
  }

 private:
  void start(std::size_t worker) {
    processes_[worker] = fork();
    if (processes_[worker] < 0) throw std::runtime_error("fork failed");
    if (processes_[worker] > 0) return;
    std::signal(SIGSEGV, SIG_DFL);
    work(shared_[worker]);
    _exit(0);
  }

  void work(Shared& shared) const {
    for (; shared.seed - seeds_.first < seeds_.count && Clock::now() < end_;
         shared.seed += count_) {
      try {
        run_seed(shared, shared.seed % seeds_.peer_every == 0);
      } catch (const std::exception& error) {
        fail(shared, std::string("throws ") + error.what());
      }
    }
  }

  /// Waits for the process to end. After a crash, starts another process with the next seed.
  void wait_for(std::size_t worker) {
    int status = 0;
    while (waitpid(processes_[worker], &status, 0) == processes_[worker] && status != 0) {
      fail(shared_[worker], WIFSIGNALED(status)
                                ? "ended by signal " + std::to_string(WTERMSIG(status))
                                : "ended with status " + std::to_string(WEXITSTATUS(status)));
      shared_[worker].seed += count_;
      start(worker);
    }
  }

  static void add(const Tally& part, Tally& total) {
    for (std::size_t i = 0; i < kFeatures; ++i) {
      if (part.run > 0) total.features[i].name = part.features[i].name;
      total.features[i].count += part.features[i].count;
    }
    total.run += part.run;
    total.refused += part.refused;
    total.unfit += part.unfit;
    total.failed += part.failed;
    total.by_peer += part.by_peer;
  }

  const Seeds seeds_;
  const Clock::time_point end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                    std::chrono::duration<double>(seeds_.seconds));
  const std::size_t count_;
  Shared* const shared_;
  std::vector<pid_t> processes_;
};

}  // namespace

Tally run_seeds(const Seeds& seeds) { return Workers(seeds).wait_for_all(); }

}  // namespace tileplan::test
