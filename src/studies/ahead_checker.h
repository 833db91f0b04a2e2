// SPDX-License-Identifier: Apache-2.0
// A second core compiles and checks the next schedules while the first one measures.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "schedule_checker.h"

namespace tileplan {

/// Compiles and checks schedules in advance on another core, with its own tensors.
class AheadChecker {
 public:
  /// Receives each schedule just before the thread checks it. The thread calls this function.
  using OnCheck = std::function<void(const std::string& schedule)>;

  /// Starts a thread on `core`, which must be one of allowed_cores() and not that of the caller.
  /// `first` must outlive this object.
  AheadChecker(const Plan& first, std::uint64_t seed, int core, OnCheck on_check);
  /// Waits until the thread has checked its current schedule, then ends the thread.
  ~AheadChecker();

  /// Replaces the list of schedules that the thread checks next, in their order, and discards
  /// results that were not taken.
  void expect(const std::vector<std::string>& schedules);
  /// Returns the result of `schedule` if the thread has checked it, or waits for the result if the
  /// thread is checking it. Otherwise returns nothing and removes `schedule` from the list. The
  /// returned kernel runs on tensors of the thread, which are destroyed when the thread ends.
  std::optional<CheckedSchedule> take(const std::string& schedule);

 private:
  /// Calls check_expected(). The thread ends early when that function throws.
  void work();
  /// Checks the expected schedules until the object is destroyed.
  void check_expected();

  const Plan& first_;
  std::uint64_t seed_;
  int core_;
  OnCheck on_check_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> expected_;
  std::string current_ = {};  ///< Holds the schedule that the thread checks, or "".
  std::map<std::string, CheckedSchedule> done_;
  bool ends_ = false;
  std::thread thread_;
};

/// Returns the cores on which the calling thread may run, or none when they cannot be read.
std::vector<int> allowed_cores();

}  // namespace tileplan
