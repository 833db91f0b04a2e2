// SPDX-License-Identifier: Apache-2.0
// While at least one StopOnInterrupt lives, Python's handler of SIGINT is replaced.
#include "interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>

namespace tileplan::python {
namespace {

std::mutex guard;
int users = 0;
bool installed = false;
struct sigaction previous {};
std::atomic<bool> interrupted{false};

/// Asks a running computation to stop, then calls Python's own handler, which only sets a flag for
/// throw_interrupt().
void stop_and_tell_python(int signal, siginfo_t* info, void* context) {
  interrupted = true;
  request_stop();
  if ((previous.sa_flags & SA_SIGINFO) != 0)
    previous.sa_sigaction(signal, info, context);
  else
    previous.sa_handler(signal);
}

bool calls_a_function(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  const std::lock_guard lock(guard);
  if (users++ > 0) return;
  interrupted = false;
  installed = sigaction(SIGINT, nullptr, &previous) == 0 && calls_a_function(previous);
  if (!installed) return;
  struct sigaction action = previous;
  action.sa_flags |= SA_SIGINFO;
  action.sa_sigaction = stop_and_tell_python;
  sigaction(SIGINT, &action, nullptr);
}

StopOnInterrupt::~StopOnInterrupt() {
  const std::lock_guard lock(guard);
  if (--users > 0) return;
  if (installed) sigaction(SIGINT, &previous, nullptr);
  if (interrupted) clear_stop();
}

void throw_interrupt() {
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace tileplan::python
