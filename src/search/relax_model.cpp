// SPDX-License-Identifier: Apache-2.0
// Volumes, capacities and their log-space derivatives.
#include "relax_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "check.h"

namespace tileplan {
namespace {

/// Kinks of F2 lie at sizes that are often bounds too: there the derivative from inside counts.
constexpr double kKinkTolerance = 1e-9;

/// log of a sum of exponentials; `terms` become the shares of the sum.
double log_sum(std::vector<double>& terms) {
  const double most = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (double& term : terms) sum += term = std::exp(term - most);
  for (double& term : terms) term /= sum;
  return most + std::log(sum);
}

}  // namespace

RelaxModel::RelaxModel(const Computation& computation, const RelaxProblem& problem)
    : problem_(problem) {
  TILEPLAN_CHECK(!problem.levels.empty() && problem.orders.size() == problem.levels.size(),
                 "at least one level, and one order for each");
  axis_of_dim_.assign(static_cast<std::size_t>(computation.dims()), -1);
  for (int d = 0; d < computation.dims(); ++d) {
    const auto extent = static_cast<double>(computation.extent(Dim{d}));
    const double base = problem.base[Dim{d}];
    log_iterations_ += std::log(std::max(extent, base));
    if (extent <= base) continue;
    axis_of_dim_[d] = static_cast<int>(axes_.size());
    axes_.push_back(Dim{d});
    lower_.push_back(std::log(base));
    upper_.push_back(std::log(extent));
  }
  for (const TensorAccess& access : computation.tensors) {
    Tensor& tensor = tensors_.emplace_back();
    tensor.transfers = access.transfers;
    for (const DataDim& data : access.data) tensor.windows.push_back(window_of(data));
  }
  for (const LoopOrder& order : problem.orders) levels_.push_back(level_of(computation, order));
}

RelaxModel::Level RelaxModel::level_of(const Computation& computation,
                                       const LoopOrder& order) const {
  Level level;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim)
    if (axis_of_dim_[index(*dim)] >= 0) level.loops.push_back(axis_of_dim_[index(*dim)]);
  for (const TensorAccess& access : computation.tensors) {
    const auto q = std::find_if(level.loops.begin(), level.loops.end(), [&](int axis) {
      return is_present(access, axes_[static_cast<std::size_t>(axis)]);
    });
    const bool settles = q != level.loops.end();
    level.settling.push_back(settles ? static_cast<int>(q - level.loops.begin()) : -1);
  }
  return level;
}

RelaxModel::Window RelaxModel::window_of(const DataDim& data) const {
  Window window;
  std::int64_t common = 0;
  for (const Term& term : data.terms) {
    const int axis = axis_of_dim_[index(term.dim)];
    const double base = problem_.base[term.dim];
    if (axis < 0 && base <= 1) continue;
    common = std::gcd(common, term.coefficient);
    window.push_back({axis, static_cast<double>(std::abs(term.coefficient)), base});
  }
  for (Index& each : window) each.coefficient /= static_cast<double>(common);
  return window;
}

/// F2 as it is; its linear upper bound a*Tx + b*Ty when the form asks for posynomials; but with one
/// size fixed, a*Tx + (b*Ty - a*b) is one itself.
Sloped RelaxModel::card_of_two(const Index& x, const Index& y, const double* sizes) const {
  const double tx = x.size_in(sizes), ty = y.size_in(sizes);
  const double a = x.coefficient, b = y.coefficient;
  const bool both_free = x.axis >= 0 && y.axis >= 0;
  const bool both_fixed = x.axis < 0 && y.axis < 0;
  const double fixed_excess = x.axis < 0 ? tx - b : ty - a;
  double value = a * tx + b * ty - (both_free ? 0 : a * b), by_x = a, by_y = b;
  if (problem_.form == WindowForm::exact || both_fixed || (!both_free && fixed_excess < 0)) {
    const double over_x = std::max(0.0, tx - b), over_y = std::max(0.0, ty - a);
    value = tx * ty - over_x * over_y;
    by_x = ty - (tx >= b - kKinkTolerance ? over_y : 0);
    by_y = tx - (ty >= a - kKinkTolerance ? over_x : 0);
  }
  Sloped card{.value = value};
  if (x.axis >= 0) card.slope[x.axis] = by_x * tx;
  if (y.axis >= 0) card.slope[y.axis] = by_y * ty;
  return card;
}

Sloped RelaxModel::card(const Window& window, const double* sizes) const {
  if (window.empty()) return {.value = 1};
  if (window.size() == 2) return card_of_two(window[0], window[1], sizes);
  // One iterator: its size. Three or more: the posynomial upper bound.
  Sloped card;
  for (const Index& each : window) {
    const double coefficient = window.size() == 1 ? 1 : each.coefficient;
    const double size = coefficient * each.size_in(sizes);
    card.value += size;
    if (each.axis >= 0) card.slope[each.axis] += size;
  }
  return card;
}

double RelaxModel::extent_at(std::size_t l, std::size_t axis, const double* x) const {
  return l == levels() ? upper_[axis] : x[l * axes() + axis];
}

/// log V_t of level `l`; its slope over the axes of this tile, then those of the next.
void RelaxModel::add_volume(std::size_t l, std::size_t t, const double* x, double& log_volume,
                            std::vector<double>& slope) const {
  const std::size_t n = axes();
  const Level& level = levels_[l];
  const int settled = level.settling[t];
  const int q = settled < 0 ? -1 : level.loops[static_cast<std::size_t>(settled)];
  std::array<double, kMaxDims> sizes{};
  for (std::size_t a = 0; a < n; ++a) sizes[a] = std::exp(x[l * n + a]);
  log_volume = 0;
  slope.assign(2 * n, 0);
  for (const Window& window : tensors_[t].windows) {
    const Sloped once = card(window, sizes.data());
    const bool sweeps = std::any_of(window.begin(), window.end(),
                                    [q](const Index& each) { return q >= 0 && each.axis == q; });
    if (!sweeps) {
      log_volume += std::log(once.value);
      for (std::size_t a = 0; a < n; ++a) slope[a] += once.slope[a] / once.value;
      continue;
    }
    const double trips = std::exp(extent_at(l + 1, q, x) - x[l * n + q]);
    sizes[q] *= 2;
    const Sloped twice = card(window, sizes.data());
    sizes[q] /= 2;
    const double fresh = twice.value - once.value;
    const double sweep = once.value + (trips - 1) * fresh;
    log_volume += std::log(sweep);
    for (std::size_t a = 0; a < n; ++a)
      slope[a] += (once.slope[a] + (trips - 1) * (twice.slope[a] - once.slope[a])) / sweep;
    slope[q] -= trips * fresh / sweep;
    slope[n + q] += trips * fresh / sweep;
  }
  for (int i = settled + 1; settled >= 0 && i < static_cast<int>(level.loops.size()); ++i) {
    const int axis = level.loops[i];
    log_volume += extent_at(l + 1, axis, x) - x[l * n + axis];
    slope[axis] -= 1;
    slope[n + axis] += 1;
  }
}

/// log of the seconds of level `l` over the whole execution, tau's shift included; `slope` over all
/// variables.
double RelaxModel::log_time(std::size_t l, const double* x, double* slope) const {
  const std::size_t n = axes();
  std::vector<double> terms(tensors_.size());
  std::vector<std::vector<double>> slopes(tensors_.size());
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    add_volume(l, t, x, terms[t], slopes[t]);
    terms[t] += std::log(tensors_[t].transfers);
  }
  double time = log_sum(terms) - std::log(problem_.levels[l].bandwidth) - log_iterations_;
  for (std::size_t a = 0; a < n; ++a) time += upper_[a] - extent_at(l + 1, a, x);
  if (slope == nullptr) return time;
  const bool outermost = l + 1 == levels();
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t t = 0; t < tensors_.size(); ++t) {
      slope[l * n + a] += terms[t] * slopes[t][a];
      if (!outermost) slope[(l + 1) * n + a] += terms[t] * slopes[t][n + a];
    }
    if (!outermost) slope[(l + 1) * n + a] -= 1;
  }
  return time;
}

double RelaxModel::log_fullness(std::size_t l, const double* log_sizes, double* slope) const {
  const std::size_t n = axes();
  std::array<double, kMaxDims> sizes{};
  for (std::size_t a = 0; a < n; ++a) sizes[a] = std::exp(log_sizes[a]);
  if (problem_.rule == CapacityRule::lru2 && !levels_[l].loops.empty())
    sizes[static_cast<std::size_t>(levels_[l].loops.front())] *= 2;
  std::vector<double> terms(tensors_.size(), 0);
  std::vector<std::array<double, kMaxDims>> slopes(tensors_.size());
  for (std::size_t t = 0; t < tensors_.size(); ++t)
    for (const Window& window : tensors_[t].windows) {
      const Sloped once = card(window, sizes.data());
      terms[t] += std::log(once.value);
      for (std::size_t a = 0; a < n; ++a) slopes[t][a] += once.slope[a] / once.value;
    }
  const double elements = log_sum(terms);
  for (std::size_t t = 0; slope != nullptr && t < tensors_.size(); ++t)
    for (std::size_t a = 0; a < n; ++a) slope[a] += terms[t] * slopes[t][a];
  return elements - std::log(problem_.levels[l].capacity);
}

void RelaxModel::evaluate(const double* x, double* g, double* jacobian) const {
  const std::size_t n = axes(), width = variables(), tau = width - 1;
  if (jacobian != nullptr) std::fill_n(jacobian, constraints() * width, 0.0);
  const auto row = [&](std::size_t i) {
    return jacobian == nullptr ? nullptr : jacobian + i * width;
  };
  for (std::size_t l = 0; l < levels(); ++l) {
    g[l] = log_time(l, x, row(l)) - x[tau];
    if (jacobian != nullptr) row(l)[tau] = -1;
    double* const fullness_slope = row(levels() + l);
    g[levels() + l] =
        log_fullness(l, x + l * n, fullness_slope == nullptr ? nullptr : fullness_slope + l * n);
  }
  for (std::size_t l = 0; l + 1 < levels(); ++l)
    for (std::size_t a = 0; a < n; ++a) {
      const std::size_t i = 2 * levels() + l * n + a;
      g[i] = x[l * n + a] - x[(l + 1) * n + a];
      if (jacobian == nullptr) continue;
      row(i)[l * n + a] = 1;
      row(i)[(l + 1) * n + a] = -1;
    }
}

double RelaxModel::slowest(const double* x) const {
  double slowest = log_time(0, x, nullptr);
  for (std::size_t l = 1; l < levels(); ++l) slowest = std::max(slowest, log_time(l, x, nullptr));
  return slowest + log_iterations_;
}

double RelaxModel::fullness(std::size_t l, const double* log_sizes) const {
  return log_fullness(l, log_sizes, nullptr);
}

PerDim<double> RelaxModel::tile(const double* log_sizes) const {
  PerDim<double> tile = problem_.base;
  for (std::size_t a = 0; a < axes(); ++a) tile[axes_[a]] = std::exp(log_sizes[a]);
  return tile;
}

}  // namespace tileplan
