// SPDX-License-Identifier: Apache-2.0
// One mutex guards all that both threads read and write.
#include "ahead_checker.h"

#include <sched.h>

#include <exception>
#include <utility>

#include "timer.h"

namespace tileplan {

AheadChecker::AheadChecker(const Plan& first, std::uint64_t seed, int core, OnCheck on_check)
    : first_(first), seed_(seed), core_(core), on_check_(std::move(on_check)), thread_([this] {
        work();
      }) {}

AheadChecker::~AheadChecker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void AheadChecker::expect(const std::vector<std::string>& schedules) {
  {
    const std::lock_guard lock(mutex_);
    expected_.assign(schedules.begin(), schedules.end());
    done_.clear();
  }
  changed_.notify_all();
}

std::optional<CheckedSchedule> AheadChecker::take(const std::string& schedule) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return current_ != schedule; });
  std::erase(expected_, schedule);
  auto found = done_.extract(schedule);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

void AheadChecker::work() {
  try {
    check_expected();
  } catch (const std::exception&) {
    // This thread ends, so the caller checks the schedules itself from now on and meets the cause
    // of the failure.
    const std::lock_guard lock(mutex_);
    current_.clear();
    changed_.notify_all();
  }
}

void AheadChecker::check_expected() {
  const PinnedThread pinned(core_);
  ScheduleChecker checker(first_, seed_);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !expected_.empty(); });
    if (ends_) return;
    current_ = expected_.front();
    expected_.pop_front();
    lock.unlock();
    on_check_(current_);
    CheckedSchedule checked = checker.check(current_);
    lock.lock();
    done_.insert_or_assign(std::exchange(current_, ""), std::move(checked));
    changed_.notify_all();
  }
}

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  return cores;
}

}  // namespace tileplan
