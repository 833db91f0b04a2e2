// SPDX-License-Identifier: Apache-2.0
// Runs work that may crash, hang or take all memory in a child process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tileplan {

/// Tells the parent what the child does, in shared memory. Each call of `begin` is a sign of life.
class Progress {
 public:
  /// Attributes crashes from now on to `item`.
  void begin(int item) {
    item_.store(item, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_relaxed);
  }
  int item() const { return item_.load(std::memory_order_relaxed); }
  std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// Asks the child, in the parent's name, to end with the results that it has.
  void ask_to_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool is_asked_to_stop() const { return stop_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> item_{-1};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> stop_{false};
};

struct IsolateOptions {
  /// A child that computes this long without a sign of life counts as an endless loop.
  double stall_seconds = 10;
  /// A child that uses no processor time for this long counts as asleep for ever.
  double asleep_seconds = 60;
  /// The child may allocate this much memory in addition. With 0, it may use all free memory.
  std::size_t memory_bytes = 0;
  /// If this function, called a few times per second, returns true, the child is asked to stop.
  std::function<bool()> stop = nullptr;
};

struct IsolateResult {
  std::string output = {};   ///< The text is incomplete when the child failed.
  std::string failure = {};  ///< An example is "killed by signal 11 (Segmentation fault)".
  int item = -1;             ///< The child had begun this item when it ended.

  bool finished() const { return failure.empty(); }
};

/// This is the IsolateResult::failure of a child that could not get enough memory.
constexpr const char* kOutOfMemory = "out of memory";

/// Sends text from the child to the parent.
using Say = std::function<void(const std::string&)>;

/// Runs `work` in a forked child, from which only text returns. Throws the Error that `work` threw,
/// and Error when no child can be started or the program ignores SIGCHLD.
IsolateResult run_isolated(const std::function<void(Progress&, const Say&)>& work,
                           const IsolateOptions& options = {});

}  // namespace tileplan
