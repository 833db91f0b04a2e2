// SPDX-License-Identifier: Apache-2.0
// Runs work that may crash, hang or take all memory in a child process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tileplan {

/// Memory that both processes see. The child says what it is doing; each `begin` is a sign of life.
class Progress {
 public:
  /// From now on a crash is that of `item`.
  void begin(int item) {
    item_.store(item, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_relaxed);
  }
  int item() const { return item_.load(std::memory_order_relaxed); }
  std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// The parent asks the child to end with what it has.
  void ask_to_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool is_asked_to_stop() const { return stop_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> item_{-1};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> stop_{false};
};

struct IsolateOptions {
  /// Seconds of the child's processor time without a sign of life after which it counts as an
  /// endless loop. Time in which it does not run does not count. Larger values find one later.
  double stall_seconds = 10;
  /// Seconds without any processor time after which it counts as asleep for ever, as in a deadlock.
  /// Time in which this process is stopped itself does not count.
  double asleep_seconds = 60;
  /// Bytes that the child may allocate beyond what it starts with; 0: what the machine has left.
  std::size_t memory_bytes = 0;
  /// Asked a few times per second; true is passed on to the child.
  std::function<bool()> stop = nullptr;
};

/// How a child ended.
struct IsolateResult {
  std::string output = {};   ///< what it had said, complete or not
  std::string failure = {};  ///< "killed by signal 11 (Segmentation fault)"; empty: it finished
  int item = -1;             ///< that it was at when it failed

  bool finished() const { return failure.empty(); }
};

/// IsolateResult::failure when the child could not get the memory that it asked for.
constexpr const char* kOutOfMemory = "out of memory";

/// What the child says, as it goes along.
using Say = std::function<void(const std::string&)>;

/// Runs `work` in a child of this process, which has a copy of its memory; what it does there is
/// not seen here but for what it says. The child dies with the parent. Throws the Error that `work`
/// threw, and Error when no child can be started or the program lets its end go unheard (SIGCHLD
/// ignored).
IsolateResult run_isolated(const std::function<void(Progress&, const Say&)>& work,
                           const IsolateOptions& options = {});

}  // namespace tileplan
