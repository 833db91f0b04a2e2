// SPDX-License-Identifier: Apache-2.0
// This file forks a child process, which reports through a pipe. The child inherits its parent's
// memory.
#include "isolate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <new>
#include <optional>

#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "topology.h"

namespace tileplan {
namespace {

constexpr int kPollMilliseconds = 50;

/// Lists the exit codes of a child. After `threw_error`, the child's output ends with the message
/// of the Error.
enum ExitCode : int { finished = 0, threw_error = 1, no_memory = 2, other_exception = 3 };

/// This character precedes the message of an Error in the child's output, which has no other such
/// character.
constexpr char kErrorMark = '\x1d';

[[noreturn]] void throw_errno(const char* what) {
  throw Error(std::string("isolate: cannot ") + what + ": " + std::strerror(errno));
}

using SharedProgress =
    std::unique_ptr<Progress, decltype([](Progress* memory) { munmap(memory, sizeof(Progress)); })>;

SharedProgress share_progress() {
  void* memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw_errno("share memory with a child");
  return SharedProgress(new (memory) Progress);
}

std::size_t data_bytes() {
  std::ifstream file("/proc/self/statm");
  // The first six fields of the file are size, resident, shared, text, lib and data, in pages.
  std::array<std::size_t, 6> pages{};
  for (std::size_t& one : pages) file >> one;
  return pages.back() * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void limit_memory(std::size_t bytes) {
  if (bytes == 0) bytes = available_memory();
  if (bytes == 0) return;
  const rlim_t most = data_bytes() + bytes;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  setrlimit(RLIMIT_DATA, &limit);
}

/// Writes all of `text`. Ends the child process when the parent has closed the pipe.
void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) _exit(other_exception);
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// Runs the work in the child, then exits without calling destructors of objects that belong to the
/// parent.
[[noreturn]] void run_child(const std::function<void(Progress&, const SendText&)>& work,
                            Progress& progress, int descriptor, const IsolateOptions& options) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(options.memory_bytes);
  for (const int fatal : {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT}) std::signal(fatal, SIG_DFL);
  // Ctrl-C reaches the child too. It is ignored there, because the parent then asks the child to
  // stop.
  std::signal(SIGINT, SIG_IGN);
  try {
    work(progress, [descriptor](const std::string& text) { write_all(descriptor, text); });
  } catch (const Error& error) {
    write_all(descriptor, kErrorMark + std::string(error.what()));
    _exit(threw_error);
  } catch (const std::bad_alloc&) {
    _exit(no_memory);
  } catch (const std::exception&) {
    _exit(other_exception);
  }
  _exit(finished);
}

double cpu_seconds(pid_t child) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  constexpr double kNano = 1e-9;
  return static_cast<double>(time.tv_sec) + kNano * static_cast<double>(time.tv_nsec);
}

/// Decides when the parent kills a child that makes no progress.
class Watchdog {
 public:
  Watchdog(const Progress& progress, const IsolateOptions& options, double cpu_seconds)
      : progress_(progress), options_(options), since_(cpu_seconds), before_(cpu_seconds) {}

  /// Returns the reason to kill the child, or an empty text. The caller must call this function
  /// once after each poll. `says` tells whether the child has written something since the last
  /// poll.
  std::string check(double cpu_seconds, bool says) {
    if (progress_.steps() != steps_) {
      steps_ = progress_.steps();
      since_ = cpu_seconds;
    }
    // Items below 0 are preparations by this library, which may take any time.
    if (progress_.item() >= 0 && cpu_seconds - since_ > options_.stall_seconds)
      return "endless loop: no result within " + std::to_string(options_.stall_seconds) +
             " s of processor time";
    constexpr double kPollSeconds = kPollMilliseconds * 1e-3;
    asleep_ = says || cpu_seconds > before_ ? 0 : asleep_ + kPollSeconds;
    before_ = cpu_seconds;
    if (asleep_ <= options_.asleep_seconds) return "";
    return "asleep: no processor time used in " + std::to_string(options_.asleep_seconds) + " s";
  }

 private:
  const Progress& progress_;
  const IsolateOptions& options_;
  std::uint64_t steps_ = progress_.steps();
  double since_;   ///< The child last began an item at this processor time, in seconds.
  double before_;  ///< At the last poll, the child had used this much processor time, in seconds.
  /// Counts the seconds in which the child slept, as the number of polls times their interval. A
  /// clock would also count the time during which this process is stopped.
  double asleep_ = 0;
};

/// Owns a running child process and the parent's end of its pipe.
class Child {
 public:
  Child(pid_t id, int descriptor) : id_(id), descriptor_(descriptor) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(descriptor_);
    if (id_ < 0) return;
    kill(id_, SIGKILL);
    reap();
  }

  /// Reads the output of the child until the child has ended or the watchdog has a reason to kill
  /// it. Returns the reason to kill the child, or an empty text.
  std::string listen(Progress& progress, const IsolateOptions& options, std::string& output) const {
    Watchdog watchdog(progress, options, cpu_seconds(id_));
    for (;;) {
      const bool says = has_said(kPollMilliseconds);
      // The end of the file is not enough to detect the end of the child, because another process
      // may hold the write end of the pipe open.
      if (says ? !read_some(output) : has_ended()) return "";
      if (options.stop && options.stop()) progress.ask_to_stop();
      if (std::string why = watchdog.check(cpu_seconds(id_), says); !why.empty()) return why;
    }
  }

  void end() const { kill(id_, SIGKILL); }

  /// Waits until the child has ended. Returns its status. Throws Error when the status is lost,
  /// because other code has fetched it or the program ignores SIGCHLD.
  int join() {
    const std::optional<int> status = reap();
    if (!status)
      throw Error(
          "isolate: how a child ended is lost; a program that measures must not ignore SIGCHLD, "
          "nor wait for children that it has not started");
    return *status;
  }

 private:
  /// Waits until the child has ended. Returns its status, or nothing when the status is lost.
  std::optional<int> reap() {
    int status = 0;
    pid_t found = -1;
    do found = waitpid(id_, &status, 0);
    while (found < 0 && errno == EINTR);
    id_ = -1;
    return found < 0 ? std::nullopt : std::optional(status);
  }

  bool has_said(int milliseconds) const {
    pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, milliseconds) > 0;
  }

  bool has_ended() const {
    siginfo_t state{};
    return waitid(P_PID, static_cast<id_t>(id_), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           state.si_pid == id_ && !has_said(0);
  }

  /// Reads some output. Returns false at the end of the output or after an error.
  bool read_some(std::string& output) const {
    std::array<char, 4096> bytes{};
    const ssize_t count = read(descriptor_, bytes.data(), bytes.size());
    if (count > 0) output.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  pid_t id_;
  int descriptor_;
};

std::string failure_of(int status) {
  if (WIFSIGNALED(status))
    return "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
           strsignal(WTERMSIG(status)) + ")";
  const int code = WEXITSTATUS(status);
  if (code == finished || code == threw_error) return "";
  return code == no_memory ? kOutOfMemory : "ended with status " + std::to_string(code);
}

}  // namespace

IsolateResult run_isolated(const std::function<void(Progress&, const SendText&)>& work,
                           const IsolateOptions& options) {
  const SharedProgress shared = share_progress();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_errno("make a pipe");
  release_threads();
  const pid_t id = fork();
  if (id == 0) {
    close(ends[0]);
    run_child(work, *shared, ends[1], options);
  }
  close(ends[1]);
  if (id < 0) {
    close(ends[0]);
    throw_errno("start a child");
  }
  Child child(id, ends[0]);
  IsolateResult result;
  result.failure = child.listen(*shared, options, result.output);
  if (!result.failure.empty()) child.end();
  const int status = child.join();
  if (result.failure.empty()) result.failure = failure_of(status);
  result.item = shared->item();
  const std::size_t error = result.output.find(kErrorMark);
  if (error != std::string::npos) throw Error(result.output.substr(error + 1));
  return result;
}

}  // namespace tileplan
