// SPDX-License-Identifier: Apache-2.0
// This test runs candidates that crash, hang, take all memory or compute wrong results in a child
// process.
#include "isolate.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xbyak/xbyak.h>

#include <chrono>
#include <memory>
#include <new>
#include <vector>

#include "isolated_candidates.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

using namespace tileplan;

namespace {

class Code : public Xbyak::CodeGenerator {
 public:
  explicit Code(void (*write)(Xbyak::CodeGenerator&))
      : Xbyak::CodeGenerator(4096, Xbyak::DontSetProtectRWE) {
    write(*this);
    ret();
    setProtectModeRE();
  }
  void run() const { getCode<void (*)()>()(); }
};

void good(Xbyak::CodeGenerator& code) { code.nop(); }
void illegal(Xbyak::CodeGenerator& code) { code.ud2(); }
void null_store(Xbyak::CodeGenerator& code) {
  code.xor_(code.rax, code.rax);
  code.mov(code.dword[code.rax], 1);
}
void endless(Xbyak::CodeGenerator& code) {
  Xbyak::Label again;
  code.L(again);
  code.jmp(again);
}

/// Runs `work` in a child process. Returns the output of the process and how it ended.
IsolateResult isolated(const std::function<void()>& work, const IsolateOptions& options = {}) {
  return run_isolated(
      [&](Progress& progress, const SendText& say) {
        say("before\n");
        progress.begin(4);
        work();
        say("after\n");
      },
      options);
}

Instruments quiet_instruments() {
  return {.clock = steady_clock(),
          .sentinel = Sentinel([] { return Rates{.flops = 1, .bytes_per_second = 1}; }),
          .pause = [](double) {}};
}

/// Measures one candidate for each function in `codes`, which generates its code. A null pointer
/// stands for a candidate with a wrong result.
IsolatedRaceResult measured(const std::vector<void (*)(Xbyak::CodeGenerator&)>& codes) {
  IsolatedCandidates candidates{.numbers = {},
                                .open =
                                    [&codes] {
                                      return [&codes](int i) {
                                        if (codes[i] == nullptr)
                                          throw Error("wrong result: 3 for output 7");
                                        const auto code = std::make_shared<Code>(codes[i]);
                                        code->run();
                                        return Workload{.run = [code] { code->run(); }};
                                      };
                                    },
                                .instruments = quiet_instruments};
  for (std::size_t i = 0; i < codes.size(); ++i) candidates.numbers.push_back(static_cast<int>(i));
  return race_isolated_candidates(
      candidates, {.runner = {.budget_seconds = 3}, .isolate = {.stall_seconds = 0.2}});
}

}  // namespace

TEST_CASE("isolate: a program that ignores the ends of its children gets an error") {
  const auto before = signal(SIGCHLD, SIG_IGN);
  CHECK_THROWS_WITH_AS(isolated([] {}), doctest::Contains("must not ignore SIGCHLD"), Error);
  signal(SIGCHLD, before);
  CHECK(isolated([] {}).finished());
}

TEST_CASE("isolate: the child's output arrives, and its memory is its own") {
  int value = 1;
  const IsolateResult result = isolated([&] { value = 2; });
  CHECK(result.finished());
  CHECK(result.output == "before\nafter\n");
  CHECK(value == 1);
}

TEST_CASE("isolate: signals of assembled code are named, with the item that was at work") {
  const IsolateResult crash = isolated([] { Code(null_store).run(); });
  CHECK(crash.failure.find("killed by signal 11") == 0);
  CHECK(crash.item == 4);
  CHECK(crash.output == "before\n");
  CHECK(isolated([] { Code(illegal).run(); }).failure ==
        "killed by signal 4 (Illegal instruction)");
}

TEST_CASE("isolate: an endless loop is ended after its time on the processor") {
  const auto start = std::chrono::steady_clock::now();
  const IsolateResult result = isolated([] { Code(endless).run(); }, {.stall_seconds = 0.2});
  CHECK(result.failure.find("endless loop") == 0);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("isolate: time in which the child does not run is no endless loop") {
  const IsolateResult result = isolated([] { usleep(500'000); }, {.stall_seconds = 0.1});
  CHECK(result.finished());
}

TEST_CASE("isolate: a child that sleeps for ever is ended") {
  const IsolateResult result = isolated([] { pause(); }, {.asleep_seconds = 0.3});
  CHECK(result.failure.find("asleep: no processor time used in 0.3") == 0);
  CHECK(result.item == 4);
}

TEST_CASE("isolate: the end is heard while another process holds the pipe") {
  const auto start = std::chrono::steady_clock::now();
  const IsolateResult result = isolated([] {
    if (fork() == 0) {
      sleep(20);
      _exit(0);
    }
  });
  CHECK(result.finished());
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("isolate: memory beyond the limit is refused and named") {
  const IsolateResult result = isolated(
      [] {
        // The test calls mmap, because a sanitizer would end the process when operator new fails.
        while (mmap(nullptr, std::size_t{16} << 20, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
        }
        throw std::bad_alloc();
      },
      {.memory_bytes = std::size_t{200} << 20});
  CHECK(result.failure == kOutOfMemory);
}

TEST_CASE("isolate: an Error of the child is thrown here, and a stop is passed on") {
  CHECK_THROWS_WITH_AS(isolated([] { throw Error("shape: k is 0"); }), "shape: k is 0", Error);
  const IsolateResult result = run_isolated(
      [](Progress& progress, const SendText& say) {
        while (!progress.is_asked_to_stop()) usleep(1000);
        say("best so far\n");
      },
      {.stop = [] { return true; }});
  CHECK(result.output == "best so far\n");
}

TEST_CASE("candidates: a crash, a hang or a wrong result fails alone; the others are measured") {
  const IsolatedRaceResult result = measured({good, illegal, endless, nullptr, null_store, good});
  CHECK(result.children == 4);
  CHECK(result.candidates[0].measurement.value().samples >= 5);
  CHECK(result.candidates[5].measurement.value().samples >= 5);
  const auto failure = [&](std::size_t i) { return result.candidates[i].failure; };
  CHECK(failure(0).empty());
  CHECK(failure(1) == "killed by signal 4 (Illegal instruction)");
  CHECK(failure(2).find("endless loop") == 0);
  CHECK(failure(3) == "wrong result: 3 for output 7");
  CHECK(failure(4).find("killed by signal 11") == 0);
  CHECK_FALSE(result.candidates[1].measurement.has_value());
}

TEST_CASE("candidates: a wrong result is an error, a crash is not") {
  CHECK_NOTHROW(refuse_wrong_results({{}, {.failure = "killed by signal 11"}}));
  CHECK_THROWS_WITH_AS(
      refuse_wrong_results({{}, {.failure = std::string(kWrongResult) + "3 for output 7"}}),
      "verify: wrong result: 3 for output 7", Error);
}

TEST_CASE("candidates: a candidate that breaks only while it is timed fails alone too") {
  int runs = 0;
  IsolatedCandidates candidates{.numbers = {0, 1},
                                .open =
                                    [&runs] {
                                      return [&runs](int i) {
                                        return Workload{.run = [&runs, i] {
                                          if (i == 1 && ++runs == 5) Code(illegal).run();
                                        }};
                                      };
                                    },
                                .instruments = quiet_instruments};
  const IsolatedRaceResult result =
      race_isolated_candidates(candidates, {.runner = {.budget_seconds = 2}});
  CHECK(result.candidates[0].measurement.has_value());
  CHECK(result.candidates[1].failure == "killed by signal 4 (Illegal instruction)");
  CHECK(result.children == 2);
}

TEST_CASE("candidates: all measurements of a child come back, digit by digit") {
  const IsolatedRaceResult result = measured({good});
  const Measurement& measurement = result.candidates[0].measurement.value();
  CHECK(measurement.times.size() == static_cast<std::size_t>(measurement.kept));
  CHECK(measurement.median_seconds > 0);
  CHECK(measurement.low_seconds <= measurement.median_seconds);
  CHECK(result.verdict == Verdict::decided);
}
