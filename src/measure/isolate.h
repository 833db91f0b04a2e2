// SPDX-License-Identifier: Apache-2.0
// This file runs work in a child process, because the work may crash, hang or exhaust the memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tileplan {

/// This object lies in shared memory and tells the parent what the child does. Each call of begin()
/// counts as progress.
class Progress {
 public:
  /// Announces that the child now works on `item`. A later crash is attributed to this item.
  void begin(int item) {
    item_.store(item, std::memory_order_relaxed);
    steps_.fetch_add(1, std::memory_order_relaxed);
  }
  int item() const { return item_.load(std::memory_order_relaxed); }
  std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  /// Asks the child to return the results that it has. Only the parent calls this function.
  void ask_to_stop() { stop_.store(true, std::memory_order_relaxed); }
  bool is_asked_to_stop() const { return stop_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> item_{-1};
  std::atomic<std::uint64_t> steps_{0};
  std::atomic<bool> stop_{false};
};

struct IsolateOptions {
  /// A child whose threads together use more processor time than this without calling
  /// Progress::begin() is killed, because it seems to loop for ever. Items below 0 are exempt,
  /// because they are preparations.
  double stall_seconds = 10;
  /// A child that uses no processor time and writes nothing for this long is killed, because it
  /// seems to sleep for ever.
  double asleep_seconds = 60;
  /// The child may allocate this many more bytes. With 0, it may allocate all available memory, or
  /// any amount if the system does not tell how much is available.
  std::size_t memory_bytes = 0;
  /// If set, this function is called about every 50 ms, and whenever the child has written. If it
  /// returns true, the child is asked to stop.
  std::function<bool()> stop = nullptr;
};

struct IsolateResult {
  /// Holds the text that the child returned. The text is incomplete if the child failed.
  std::string output = {};
  /// This text tells why the child failed, e.g. "killed by signal 11 (Segmentation fault)".
  std::string failure = {};
  int item = -1;  ///< The child last worked on this item.

  bool finished() const { return failure.empty(); }
};

/// IsolateResult::failure has this value when the child could not get enough memory.
constexpr const char* kOutOfMemory = "out of memory";

/// Sends a text from the child to the parent.
using SendText = std::function<void(const std::string&)>;

/// Runs `work` in a forked child, which can return only text. Throws Error when `work` threw Error,
/// when the child, its pipe or its shared memory cannot be made, or when this program ignores
/// SIGCHLD or has fetched the child's status elsewhere.
IsolateResult run_isolated(const std::function<void(Progress&, const SendText&)>& work,
                           const IsolateOptions& options = {});

}  // namespace tileplan
