// SPDX-License-Identifier: Apache-2.0
// Ctrl-C stops long calls, which run without the interpreter lock.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <stdexcept>
#include <utility>

#include "tileplan/verify.h"

namespace tileplan::python {

/// While such an object lives, SIGINT also calls request_stop(). When the last object is destroyed,
/// clear_stop() is called if a signal arrived. Nothing changes if Python does not handle SIGINT.
class StopOnInterrupt {
 public:
  StopOnInterrupt();
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;
  ~StopOnInterrupt();
};

/// A callback throws this exception to end a long computation after Ctrl-C.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("asked to stop") {}
};

/// Runs Python's handlers of the signals that arrived, and throws the exception that a handler
/// raises, such as KeyboardInterrupt. Only the main thread of Python runs these handlers, so the
/// function does nothing in other threads. Requires the interpreter lock.
void throw_interrupt();

/// Runs work() without the interpreter lock and returns its result. Throws KeyboardInterrupt after
/// Ctrl-C if the caller is in the main thread of Python.
template <class Work>
auto interruptible(const Work& work) {
  const StopOnInterrupt guard;
  try {
    auto result = [&] {
      const nanobind::gil_scoped_release release;
      return work();
    }();
    throw_interrupt();
    return result;
  } catch (const nanobind::python_error&) {
    throw;
  } catch (const std::exception&) {
    throw_interrupt();
    throw;
  }
}

/// Returns a function that calls `progress`, which may be empty, and throws Stopped after Ctrl-C.
template <class... Values>
std::function<void(Values...)> stoppable(std::function<void(Values...)> progress) {
  return [progress = std::move(progress)](Values... values) {
    if (stop_requested()) throw Stopped();
    if (progress) progress(values...);
  };
}

}  // namespace tileplan::python
