// SPDX-License-Identifier: Apache-2.0
// This file minimises tau, a bound on the times of the levels with RelaxLevel::counts (the epigraph
// form), by SLSQP, and checks that the result is an optimum.
#include "relax.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <stdexcept>

#include "relax_model.h"

namespace tileplan {
namespace {

// The tolerances were tested on three-level convolutions (docs/experiments.md). A tolerance on the
// objective would stop SLSQP early, because the variable tau moves last.
constexpr double kStepTolerance = 1e-7;
constexpr int kMostEvaluations = 500;
constexpr double kConstraintTolerance = 1e-8;
// Limits the violation of constraints, in logs, of an accepted point.
constexpr double kFeasible = 1e-6;
// Limits the KKT residual of an accepted point.
constexpr double kStationary = 1e-4;
// Limits the slack of constraints that may have a multiplier.
constexpr double kActive = 1e-5;

using Vector = std::vector<double>;

struct Outcome {
  Vector x = {};
  double log_seconds = 0;
  double violation = 0;
  double residual = 0;
  int evaluations = 0;
  std::string failure = {};  ///< Holds the message of a solver that failed.

  bool accepted() const { return violation <= kFeasible && residual < kStationary; }
};

/// Solves min ||A y - b|| with y >= 0 by the active-set method of Lawson and Hanson.
class NonnegativeFit {
 public:
  NonnegativeFit(const Eigen::MatrixXd& a, const Eigen::VectorXd& b)
      : a_(a), b_(b), y_(Eigen::VectorXd::Zero(a.cols())) {
    // A round normally frees one column for good. The limit ends the loop when degenerate columns
    // would be exchanged forever.
    const Eigen::Index most_rounds = 3 * a.cols();
    for (Eigen::Index round = 0; round < most_rounds && free_one(); ++round)
      while (!solve_free()) {
      }
  }

  double residual() const { return (b_ - a_ * y_).norm(); }

 private:
  /// Frees the column along which the squared residual falls fastest. Returns false when it falls
  /// along no column, up to a tolerance.
  bool free_one() {
    Eigen::VectorXd gain = a_.transpose() * (b_ - a_ * y_);
    for (const Eigen::Index i : free_) gain(i) = 0;
    Eigen::Index best = 0;
    if (gain.size() == 0 || gain.maxCoeff(&best) <= kConstraintTolerance) return false;
    free_.push_back(best);
    return true;
  }

  /// Solves least squares over the free columns. If coefficients would become negative, the step
  /// ends where the first of them reaches 0. Its column is then no longer free, and the function
  /// returns false.
  bool solve_free() {
    if (free_.empty()) return true;
    const Eigen::MatrixXd columns = a_(Eigen::all, free_);
    const Eigen::VectorXd wanted = columns.completeOrthogonalDecomposition().solve(b_);
    const auto at = [&wanted](std::size_t i) { return wanted(static_cast<Eigen::Index>(i)); };
    double reach = 1;
    std::size_t blocking = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (at(i) >= 0) continue;
      const double ratio = y_(free_[i]) / (y_(free_[i]) - at(i));
      if (blocking < free_.size() && ratio >= reach) continue;
      reach = ratio;
      blocking = i;
    }
    for (std::size_t i = 0; i < free_.size(); ++i) y_(free_[i]) += reach * (at(i) - y_(free_[i]));
    if (blocking == free_.size()) return true;
    y_(free_[blocking]) = 0;
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(blocking));
    return false;
  }

  const Eigen::MatrixXd& a_;
  const Eigen::VectorXd& b_;
  Eigen::VectorXd y_;
  std::vector<Eigen::Index> free_;
};

class Solver {
 public:
  explicit Solver(const RelaxModel& model) : model_(model) {
    for (std::size_t l = 0; l < model.levels(); ++l) {
      lower_.insert(lower_.end(), model.lower().begin(), model.lower().end());
      upper_.insert(upper_.end(), model.upper().begin(), model.upper().end());
      model.fix_tile(l, lower_.data() + l * model.axes(), upper_.data() + l * model.axes());
    }
    // The variable tau has no bounds, because the objective would be flat where such a bound is
    // active.
    lower_.push_back(-HUGE_VAL);
    upper_.push_back(HUGE_VAL);
  }

  Vector base_start() const { return with_tau(lower_); }

  /// Returns a starting point: the tile of each level grows from the base towards the extents,
  /// evenly in logs, until it fills the cache or reaches the tile of the next outer level. Fixed
  /// tiles keep their sizes.
  Vector capacity_start() const {
    Vector x = lower_;
    const std::size_t n = model_.axes();
    double outer = 1;
    for (std::size_t l = model_.levels(); l-- > 0;) {
      Vector sizes(n);
      const auto grow = [&](double share) {
        for (std::size_t a = 0; a < n; ++a)
          sizes[a] = model_.lower()[a] + share * (model_.upper()[a] - model_.lower()[a]);
        return model_.fullness(l, sizes.data()) <= 0;
      };
      double low = 0, high = outer;
      if (grow(high)) low = high;
      constexpr int kHalvings = 40;
      for (int i = 0; i < kHalvings && low < high; ++i) {
        const double middle = (low + high) / 2;
        (grow(middle) ? low : high) = middle;
      }
      grow(low);
      std::copy(sizes.begin(), sizes.end(), x.begin() + static_cast<std::ptrdiff_t>(l * n));
      outer = low;  // Inner tiles must not be larger than the tile of the next level.
    }
    return with_tau(x);
  }

  /// Solves from the point `start`. If the result is no optimum, a second attempt starts from it.
  Outcome solve(const Vector& start) const {
    Outcome first = attempt(start);
    if (first.accepted()) return first;
    Outcome second = attempt(first.x);
    second.evaluations += first.evaluations;
    return second;
  }

 private:
  /// Returns `x` within its bounds. Tau is set to the log of the slowest level's seconds minus the
  /// log of the iterations.
  Vector with_tau(Vector x) const {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = std::clamp(x[i], lower_[i], upper_[i]);
    x.back() = model_.tau_of(model_.log_seconds(model_.slowest(x.data()), x.data()));
    return x;
  }

  // NOLINTNEXTLINE(readability-function-size): NLopt prescribes the signature.
  static void constraints(unsigned, double* g, unsigned, const double* x, double* jacobian,
                          void* model) {
    static_cast<const RelaxModel*>(model)->evaluate(x, g, jacobian);
  }

  /// The objective is tau, the last variable.
  static double epigraph(unsigned n, const double* x, double* slope, void*) {
    if (slope != nullptr) {
      std::fill_n(slope, n, 0.0);
      slope[n - 1] = 1;
    }
    return x[n - 1];
  }

  Outcome attempt(const Vector& start) const {
    Outcome outcome{.x = start};
    nlopt::opt opt(nlopt::LD_SLSQP, static_cast<unsigned>(start.size()));
    try {
      opt.set_lower_bounds(lower_);
      opt.set_upper_bounds(upper_);
      opt.set_min_objective(epigraph, nullptr);
      opt.add_inequality_mconstraint(constraints, const_cast<RelaxModel*>(&model_),
                                     Vector(model_.constraints(), kConstraintTolerance));
      opt.set_xtol_abs(kStepTolerance);
      opt.set_maxeval(kMostEvaluations);
      double tau = 0;
      opt.optimize(outcome.x, tau);
      // The last point of a failed solver may still be an optimum, so it is checked like any other.
    } catch (const std::exception& error) {
      outcome.failure = error.what();
    }
    outcome.evaluations = opt.get_numevals();
    judge(outcome);
    return outcome;
  }

  void judge(Outcome& outcome) const {
    outcome.x = with_tau(outcome.x);
    outcome.log_seconds = model_.log_seconds(model_.slowest(outcome.x.data()), outcome.x.data());
    const std::size_t width = model_.variables();
    Vector g(model_.constraints()), jacobian(model_.constraints() * width);
    model_.evaluate(outcome.x.data(), g.data(), jacobian.data());
    if (!std::isfinite(outcome.log_seconds)) outcome.violation = HUGE_VAL;
    std::vector<Eigen::VectorXd> normals;
    for (std::size_t i = 0; i < g.size(); ++i) {
      outcome.violation = std::max(outcome.violation, g[i]);
      if (g[i] >= -kActive)
        normals.push_back(Eigen::Map<const Eigen::VectorXd>(jacobian.data() + i * width,
                                                            static_cast<Eigen::Index>(width)));
    }
    const auto unit = [width](std::size_t i, double sign) {
      return Eigen::VectorXd(sign * Eigen::VectorXd::Unit(static_cast<Eigen::Index>(width),
                                                          static_cast<Eigen::Index>(i)));
    };
    for (std::size_t i = 0; i + 1 < width; ++i) {
      if (outcome.x[i] <= lower_[i] + kActive) normals.push_back(unit(i, -1));
      if (outcome.x[i] >= upper_[i] - kActive) normals.push_back(unit(i, 1));
    }
    Eigen::MatrixXd a(static_cast<Eigen::Index>(width), static_cast<Eigen::Index>(normals.size()));
    for (std::size_t i = 0; i < normals.size(); ++i)
      a.col(static_cast<Eigen::Index>(i)) = normals[i];
    // By the KKT conditions, minus the gradient of the objective is a nonnegative sum of the
    // normals of the active constraints.
    outcome.residual = NonnegativeFit(a, unit(width - 1, -1)).residual();
  }

  const RelaxModel& model_;
  Vector lower_, upper_;
};

std::string why_rejected(const Outcome& outcome) {
  const std::string solver = outcome.failure.empty() ? "" : " (" + outcome.failure + ")";
  if (outcome.violation > kFeasible)
    return "constraints violated by " + std::to_string(outcome.violation) + solver;
  return "not stationary: KKT residual " + std::to_string(outcome.residual) + solver;
}

Relaxed relaxed_of(const RelaxModel& model, const Outcome& outcome) {
  Relaxed result{.solved = outcome.accepted(),
                 .seconds = std::exp(outcome.log_seconds),
                 .slowest = model.slowest(outcome.x.data())};
  if (!result.solved) result.why = why_rejected(outcome);
  for (std::size_t l = 0; l < model.levels(); ++l)
    result.tiles.push_back(model.tile(l, outcome.x.data() + l * model.axes()));
  return result;
}

}  // namespace

Relaxed relax(const Computation& computation, const RelaxProblem& problem) {
  const RelaxModel model(computation, problem);
  Relaxed best;
  for (std::size_t l = 0; l < model.levels(); ++l) {
    if (model.fullness(l, model.lower().data()) <= kFeasible) continue;
    best.why = "the base does not fit level " + std::to_string(l + 1);
    return best;
  }
  const double tau = 0;  // Without axes, tau is the only variable.
  if (model.axes() == 0)
    return relaxed_of(model,
                      {.x = {tau}, .log_seconds = model.log_seconds(model.slowest(&tau), &tau)});
  const Solver solver(model);
  std::vector<Vector> starts;
  if (problem.start != RelaxStart::capacity) starts.push_back(solver.base_start());
  if (problem.start != RelaxStart::base) starts.push_back(solver.capacity_start());
  int evaluations = 0;
  for (const Vector& start : starts) {
    const Outcome outcome = solver.solve(start);
    evaluations += outcome.evaluations;
    Relaxed found = relaxed_of(model, outcome);
    const bool better = found.solved ? !best.solved || found.seconds < best.seconds : !best.solved;
    if (better) best = std::move(found);
    if (best.solved && problem.form != WindowForm::exact) break;
  }
  best.evaluations = evaluations;
  return best;
}

std::string version_of_nlopt() {
  return std::to_string(nlopt::version_major()) + "." + std::to_string(nlopt::version_minor()) +
         "." + std::to_string(nlopt::version_bugfix());
}

}  // namespace tileplan
