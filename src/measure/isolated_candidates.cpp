// SPDX-License-Identifier: Apache-2.0
// This file runs a race in a child process and parses the lines that the child writes. When a
// candidate has ended its child, the race starts again in another child.
#include "isolated_candidates.h"

#include <algorithm>
#include <new>
#include <sstream>

#include "tileplan/error.h"

namespace tileplan {
namespace {

/// A child stops making and checking candidates after this share of the budget that was left when
/// the child started, unless no candidate is ready yet. The rest is for comparing candidates.
constexpr double kMakeShare = 0.5;

/// Returns a line such as "failure 3 wrong result: ...".
std::string failure_line(std::size_t place, std::string why) {
  std::ranges::replace(why, '\n', ' ');
  return "failure " + std::to_string(place) + ' ' + why + '\n';
}

/// Returns a line such as "measured 3 9 11 <median> <low> <high> <peak> <times>".
std::string measured_line(std::size_t place, const Measurement& measured) {
  std::ostringstream line;
  line.precision(17);
  line << "measured " << place << ' ' << measured.kept << ' ' << measured.samples << ' '
       << measured.median_seconds << ' ' << measured.low_seconds << ' ' << measured.high_seconds
       << ' ' << measured.peak_flops;
  for (const double time : measured.times) line << ' ' << time;
  line << '\n';
  return line.str();
}

std::string end_line(const RaceResult& result) {
  std::ostringstream line;
  line << "end " << static_cast<int>(result.verdict) << ' ' << result.runs.waiting_seconds << '\n';
  return line.str();
}

/// Parses the child's lines into `result`. An incomplete last line is ignored.
void read_lines(const std::string& output, IsolatedRaceResult& result) {
  std::istringstream lines(output.substr(0, output.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::size_t place = 0;
    words >> kind >> place;
    if (kind == "failure") {
      std::getline(words.ignore(), result.candidates[place].failure);
    } else if (kind == "measured") {
      Measurement& measured = result.candidates[place].measurement.emplace();
      words >> measured.kept >> measured.samples >> measured.median_seconds >>
          measured.low_seconds >> measured.high_seconds >> measured.peak_flops;
      for (double time = 0; words >> time;) measured.times.push_back(time);
    } else {  // A line "end" has the number of the verdict in the position of `place`.
      double waiting = 0;
      words >> waiting;
      result.verdict = static_cast<Verdict>(place);
      result.waiting_seconds += waiting;
    }
  }
}

/// Does the work of one child: a race among the candidates that have not failed in an earlier
/// child.
class ChildWork {
 public:
  ChildWork(const IsolatedCandidates& candidates, const IsolatedRaceOptions& options,
            const IsolatedRaceResult& so_far)
      : candidates_(candidates), options_(options), so_far_(so_far) {}

  void run(Progress& progress, const SendText& say, double budget_seconds) {
    const Clock clock = steady_clock();
    const double start = clock();
    const MakeWorkload make = candidates_.open();
    Instruments instruments = candidates_.instruments();
    for (std::size_t place = 0; place < candidates_.numbers.size(); ++place) {
      const bool is_late = clock() - start > kMakeShare * budget_seconds;
      if ((is_late && !places_.empty()) || progress.is_asked_to_stop()) break;
      if (so_far_.candidates[place].failure.empty()) add(place, make, progress, say);
    }
    RunnerOptions runner = options_.runner;
    runner.budget_seconds = std::max(budget_seconds - (clock() - start), 0.0);
    runner.stop = [&progress] { return progress.is_asked_to_stop(); };
    const RaceResult result = run_race(workloads_, instruments, runner);
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (auto measured = result.runs.series[i].measurement()) {
        measured->peak_flops = instruments.sentinel.best().flops;
        say(measured_line(places_[i], *measured));
      }
    say(end_line(result));
  }

 private:
  void add(std::size_t place, const MakeWorkload& make, Progress& progress, const SendText& say) {
    const int item = static_cast<int>(place);
    progress.begin(item);
    try {
      Workload workload = make(candidates_.numbers[place]);
      workload.run = [&progress, item, run = std::move(workload.run)] {
        progress.begin(item);
        run();
      };
      workloads_.push_back(std::move(workload));
      places_.push_back(place);
    } catch (const Error& error) {
      say(failure_line(place, error.what()));
    }
    progress.begin(-1);
  }

  const IsolatedCandidates& candidates_;
  const IsolatedRaceOptions& options_;
  const IsolatedRaceResult& so_far_;
  std::vector<Workload> workloads_;
  /// Maps the number of a workload to the position of its candidate.
  std::vector<std::size_t> places_;
};

}  // namespace

void refuse_wrong_results(const std::vector<CandidateResult>& candidates) {
  for (const CandidateResult& each : candidates)
    if (each.failure.starts_with(kWrongResult)) throw Error("verify: " + each.failure);
}

IsolatedRaceResult race_isolated_candidates(const IsolatedCandidates& candidates,
                                            const IsolatedRaceOptions& options) {
  const Clock clock = steady_clock();
  const double start = clock();
  IsolatedRaceResult result;
  result.candidates.resize(candidates.numbers.size());
  for (;;) {
    const double left = options.runner.budget_seconds - (clock() - start);
    const IsolateResult child = run_isolated(
        [&](Progress& progress, const SendText& say) {
          ChildWork(candidates, options, result).run(progress, say, std::max(left, 0.0));
        },
        options.isolate);
    ++result.children;
    read_lines(child.output, result);
    if (child.finished()) break;
    if (child.item < 0) {
      if (child.failure == kOutOfMemory) throw std::bad_alloc();
      throw Error("measuring: the child that prepares it was " + child.failure);
    }
    result.candidates[static_cast<std::size_t>(child.item)].failure = child.failure;
  }
  result.seconds = clock() - start;
  return result;
}

}  // namespace tileplan
