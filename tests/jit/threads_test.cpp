// SPDX-License-Identifier: Apache-2.0
// This test checks that parallel loops compute equal bits on threads of the library and of the
// caller, and that each task is run once.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "error_of.h"
#include "random_schedule.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;
using test::Random;

namespace {

Kernel compiled(const Problem& problem, const Schedule& schedule, int threads) {
  Plan plan;
  plan.problem = problem;
  plan.machine = test::toy_machine(Isa::avx2);
  plan.options.threads = threads;
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return compile(plan);
}

std::vector<float> output_of(const Kernel& kernel, unsigned seed, const Executor& executor) {
  Random random(seed);
  const std::vector<float> input = test::random_floats(random, kernel.input_size());
  const Packed weights = kernel.pack_weights(test::random_floats(random, kernel.weights_size()));
  std::vector<float> output(kernel.output_size(), -777.0F);
  kernel.run(input, weights, output, {}, executor);
  return output;
}

bool equal_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Runs task 0 itself and each other task on a new thread, as a caller with threads of its own
/// could do.
void on_new_threads(int count, const std::function<void(int)>& task) {
  std::vector<std::thread> threads;
  for (int i = 1; i < count; ++i) threads.emplace_back(task, i);
  task(0);
  for (std::thread& thread : threads) thread.join();
}

void last_first(int count, const std::function<void(int)>& task) {
  for (int i = count; i-- > 0;) task(i);
}

Schedule sequential(Schedule schedule) {
  for (Specifier& loop : schedule.loops)
    if (loop.kind == Kind::parallel) loop.kind = loop.is_lambda() ? Kind::lambda : Kind::tile;
  return schedule;
}

/// Compares the outputs of parallel and sequential runs bit by bit. Returns false when a layout
/// does not fit.
bool check_threads(const ConvShape& shape, const Schedule& schedule, unsigned seed) {
  CAPTURE(seed);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  try {
    const std::vector<float> expected =
        output_of(compiled(shape, sequential(schedule), 1), seed, run_tasks);
    for (const int threads : {1, 2, 3, 4})
      for (const Executor& executor :
           {Executor(run_tasks), Executor(on_new_threads), Executor(last_first)})
        CHECK(equal_bits(output_of(compiled(shape, schedule, threads), seed, executor), expected));
    return true;
  } catch (const Error& error) {
    CHECK_MESSAGE(test::says_layout_does_not_fit(error.what()), error.what());
    return false;
  }
}

}  // namespace

TEST_CASE("parallel loops anywhere, packed or not, give the bits of the sequential ones") {
  int run = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const ConvShape shape = test::random_shape(random);
    Schedule schedule = test::with_parallel_loops(random, test::random_schedule(random, shape, 8));
    schedule.in = test::random_layout(random, Isa::avx2);
    schedule.out = test::random_layout(random, Isa::avx2);
    schedule.pack_input = test::random_box(random, schedule);
    run += check_threads(shape, schedule, seed) ? 1 : 0;
  }
  CHECK(run >= 40);
}

TEST_CASE("a parallel lambda shares its blocks, together with the loops inside and around it") {
  const ConvShape shape = parse_conv("mb1ic5ih17oc72oh17kh3ph1");
  for (const char* loops :
       {"[P(w,[1*8,1*9]), T(17,h), T(5,c), T(9,k), T(3,r), T(3,s), U(w), V(k)]",
        "[P(w,[1*8,1*9]), P(17,h), T(5,c), P(9,k), T(3,r), T(3,s), U(w), V(k)]",
        "[P(17,h), P(w,[1*3,2*7]), T(9,k), T(5,c), T(3,r), T(3,s), U(w), V(k)]",
        "[P(k,[2*2,1*5]), P(w,[1*3,2*7]), T(5,c), R(k), T(17,h), T(3,r), T(3,s), U(w), V(k)]",
        "[L(k,[2*2,1*5]), P(w,[1*3,2*7]), T(5,c), R(k), P(17,h), T(3,r), T(3,s), U(w), V(k)]"})
    CHECK(check_threads(shape, parse_schedule(std::string(loops) + " in=nhwc out=nhwc"), 1));
}

TEST_CASE("parallel loops under both parts of a lambda share the same tasks") {
  check_threads(parse_conv("mb1ic5ih17oc24oh17kh3ph1"),
                parse_schedule("[L(w,[1*8,1*9]), P(17,h), T(5,c), P(3,k), T(3,r), T(3,s), U(w), "
                               "V(k)] in=nhwc out=nhwc"),
                1);
}

TEST_CASE(
    "a run has as many tasks as threads, but no more than the parallel loops have iterations") {
  const ConvShape shape = parse_conv("mb1ic4ih6oc16oh6kh1ph0");
  const auto tasks = [&](const char* loops, int threads) {
    return compiled(shape, parse_schedule(std::string(loops) + " in=nhwc out=nhwc"), threads)
        .threads();
  };
  CHECK(tasks("[P(2,k), T(6,h), T(4,c), U(6,w), V(k)]", 4) == 2);
  CHECK(tasks("[P(2,k), P(6,h), T(4,c), U(6,w), V(k)]", 4) == 4);
  CHECK(tasks("[T(2,k), T(6,h), T(4,c), U(6,w), V(k)]", 4) == 1);
  CHECK(tasks("[T(2,k), P(h,[1*2,1*4]), R(h), T(4,c), U(6,w), V(k)]", 4) == 2);
}

TEST_CASE("each task is called once") {
  std::array<int, 5> calls{};
  run_tasks(5, [&](int task) { ++calls[static_cast<std::size_t>(task)]; });
  CHECK(calls == std::array<int, 5>{1, 1, 1, 1, 1});
}

TEST_CASE("any number of tasks is shared out; numbers below 0 and functions that are not refused") {
  std::atomic<int> calls = 0;
  const auto count = [&](int) { ++calls; };
  run_tasks(0, count);
  CHECK(calls == 0);
  run_tasks(100000, count);
  CHECK(calls == 100000);
  release_threads();
  CHECK(error_of([&] { run_tasks(-1, count); }) == "tasks: -1; must be at least 0");
  CHECK(error_of([] { run_tasks(2, nullptr); }) ==
        "tasks: the function is empty; must be callable");
}

TEST_CASE("run: an executor that is empty is refused where there is more than one task") {
  const Problem problem = parse_problem("mb1ic4ih4oc16oh4kh1ph0");
  const Schedule schedule =
      parse_schedule("[P(2,k), T(4,h), T(4,c), U(4,w), V(k)] in=nhwc out=nhwc");
  CHECK(error_of([&] { output_of(compiled(problem, schedule, 2), 1, Executor{}); }) ==
        "executor: empty; must run the 2 tasks of this kernel");
  CHECK_NOTHROW(output_of(compiled(problem, schedule, 1), 1, Executor{}));
}

TEST_CASE("what a task throws reaches the caller after the other tasks") {
  std::array<int, 3> calls{};
  CHECK_THROWS_WITH_AS(run_tasks(3,
                                 [&](int task) {
                                   ++calls[static_cast<std::size_t>(task)];
                                   if (task == 1) throw std::runtime_error("of task 1");
                                 }),
                       "of task 1", std::runtime_error);
  CHECK(calls == std::array<int, 3>{1, 1, 1});
}

TEST_CASE("a dimension that is summed over cannot be parallel") {
  CHECK_THROWS_WITH_AS(
      compiled(parse_conv("mb1ic4ih6oc16oh6kh1ph0"),
               parse_schedule("[T(2,k), T(6,h), P(4,c), U(6,w), V(k)] in=nhwc out=nhwc"), 2),
      "schedule: P(4,c): c is summed over; P must be a dimension of the output", Error);
}

TEST_CASE("one kernel runs on several threads at once, each run with its own scratch memory") {
  const Kernel kernel = compiled(
      parse_conv("mb1ic9ih8oc24oh8kh3ph1"),
      parse_schedule("[P(8,h), T(3,k), R(r), R(s), R(c), U(8,w), V(k)] in=nchw out=nchw pack=in@0"),
      2);
  const std::vector<float> expected = output_of(kernel, 1, run_tasks);
  std::array<bool, 4> same{};
  on_new_threads(4, [&](int i) {
    bool all = true;
    for (int round = 0; round < 20; ++round)
      all = all && equal_bits(output_of(kernel, 1, on_new_threads), expected);
    same[static_cast<std::size_t>(i)] = all;
  });
  CHECK(same == std::array<bool, 4>{true, true, true, true});
}

TEST_CASE("a child process can run tasks after its parent did and released the threads") {
  run_tasks(2, [](int) {});
  release_threads();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr unsigned kPatience = 5;  // SIGALRM ends the child process after this many seconds.
    alarm(kPatience);
    std::array<int, 2> calls{};
    run_tasks(2, [&](int task) { ++calls[static_cast<std::size_t>(task)]; });
    _exit(calls == std::array<int, 2>{1, 1} ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
