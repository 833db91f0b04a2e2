// SPDX-License-Identifier: Apache-2.0
// Relaxed optima of the class tuples in question; the smallest is the bound.
#include "certificate.h"

#include <algorithm>
#include <set>

#include "element.h"
#include "relax.h"

namespace tileplan {

namespace {

constexpr std::size_t kTuples = 4;  // class tuples that the default plan certifies
constexpr std::size_t kKept = 16;   // best band schedules that are remembered

RelaxProblem relaxation(const Computation& computation, const OrderClasses& classes,
                        const Machine& machine, const KernelCombo& kernels) {
  RelaxProblem problem;
  for (int d = 0; d < computation.dims(); ++d)
    problem.base[Dim{d}] = static_cast<double>(kernels.base[Dim{d}]);
  for (const CacheLevel& cache : machine.caches)
    problem.levels.push_back(
        {.capacity = usable_elements(cache),
         .bandwidth = cache.fill_bytes_per_second / static_cast<double>(kElementBytes)});
  problem.orders.assign(problem.levels.size(), classes.classes.front().order);
  return problem;
}

std::vector<std::vector<int>> all_tuples(std::size_t levels, std::size_t classes) {
  std::vector<std::vector<int>> tuples{{}};
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<std::vector<int>> next;
    for (const auto& tuple : tuples)
      for (std::size_t c = 0; c < classes; ++c) {
        next.push_back(tuple);
        next.back().push_back(static_cast<int>(c));
      }
    tuples = std::move(next);
  }
  return tuples;
}

struct Question {
  KernelCombo kernels;
  std::vector<int> classes;
};

std::vector<Question> questions(const SearchRecord& record, const OrderClasses& classes,
                                std::size_t levels, bool full) {
  std::vector<Question> asked;
  if (full) {
    for (auto& tuple : all_tuples(levels, classes.classes.size()))
      asked.push_back({record.best().front().kernels, std::move(tuple)});
    return asked;
  }
  std::set<std::vector<int>> seen;
  for (const SearchRecord::Entry& entry : record.best()) {
    if (asked.size() == kTuples) break;
    if (seen.insert(entry.band.classes).second)
      asked.push_back({entry.kernels, entry.band.classes});
  }
  return asked;
}

}  // namespace

void SearchRecord::add(const KernelCombo& kernels, const SearchResult& result) {
  nodes_ += result.nodes;
  complete_ = complete_ && result.complete;
  bound_ = std::min(bound_, result.bound);
  ++combos_;
  for (const BandSchedule& band : result.best) best_.push_back({.kernels = kernels, .band = band});
  std::stable_sort(best_.begin(), best_.end(),
                   [](const Entry& a, const Entry& b) { return a.band.seconds < b.band.seconds; });
  if (best_.size() > kKept) best_.resize(kKept);
}

double SearchRecord::optimum() const { return best_.empty() ? 0 : best_.front().band.seconds; }

Certificate certify(const Computation& computation, const OrderClasses& classes,
                    const Machine& machine, const SearchRecord& record, bool full) {
  Certificate certificate;
  certificate.nodes = record.nodes();
  certificate.optimum = record.optimum();
  certificate.space = std::to_string(record.combos()) + " kernels and combinations x " +
                      std::to_string(classes.classes.size()) + "^" +
                      std::to_string(machine.caches.size()) + " order classes x divisor tiles";
  if (record.best().empty()) return certificate;
  double bound = certificate.optimum;
  int solved = 0, unsolved = 0;
  for (const Question& question : questions(record, classes, machine.caches.size(), full)) {
    RelaxProblem problem = relaxation(computation, classes, machine, question.kernels);
    for (std::size_t l = 0; l < question.classes.size(); ++l)
      problem.orders[l] = classes.classes[static_cast<std::size_t>(question.classes[l])].order;
    const Relaxed relaxed = relax(computation, problem);
    ++(relaxed.solved ? solved : unsolved);
    if (relaxed.solved)
      bound = std::min(bound, std::max(relaxed.seconds, question.kernels.compute_seconds));
  }
  if (!record.complete()) {
    certificate.space += "; search cut short";
    bound = std::min(bound, record.bound());
  }
  certificate.space +=
      "; bound over real tile sizes of " + std::to_string(solved) + " class tuples";
  if (unsolved > 0) certificate.space += " (" + std::to_string(unsolved) + " unsolved)";
  certificate.bound = bound;
  certificate.gap = (certificate.optimum - bound) / certificate.optimum;
  return certificate;
}

}  // namespace tileplan
