// SPDX-License-Identifier: Apache-2.0
// This file computes volumes, capacities and their derivatives in log space.
#include "relax_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "check.h"

namespace tileplan {
namespace {

/// The size of a window with two iterators, eq. (F2), has kinks that often lie at the bounds of
/// variables. Sizes within this distance of a kink get the derivative for larger sizes.
constexpr double kKinkTolerance = 1e-9;

/// Returns the log of the sum of the exponentials of `terms`, and replaces each term by its share
/// of the sum.
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
  TILEPLAN_CHECK(problem.spans.empty() || problem.spans.size() == problem.levels.size(),
                 "given sizes for each level or for none");
  add_axes(computation);
  for (const TensorAccess& access : computation.tensors) {
    Tensor& tensor = tensors_.emplace_back();
    tensor.transfers = access.transfers;
    for (const DataDim& data : access.data) tensor.windows.push_back(window_of(computation, data));
  }
  levels_.resize(levels());
  add_boxes(computation);
  for (std::size_t l = 0; l < levels(); ++l) add_level(computation, l);
}

bool RelaxModel::is_given(Dim dim) const {
  return !problem_.spans.empty() && problem_.spans.front()[dim].is_given();
}

void RelaxModel::add_axes(const Computation& computation) {
  axis_of_dim_.assign(static_cast<std::size_t>(computation.dims()), -1);
  for (int d = 0; d < computation.dims(); ++d) {
    const auto extent = static_cast<double>(computation.extent(Dim{d}));
    const double base = problem_.base[Dim{d}];
    whole_[Dim{d}] = std::max(extent, base);
    log_iterations_ += std::log(whole_[Dim{d}]);
    if (extent <= base || is_given(Dim{d})) continue;
    axis_of_dim_[d] = static_cast<int>(axes_.size());
    axes_.push_back(Dim{d});
    lower_.push_back(std::log(base));
    upper_.push_back(std::log(extent));
  }
}

void RelaxModel::add_boxes(const Computation& computation) {
  for (std::size_t l = 0; l < levels(); ++l)
    for (int d = 0; d < computation.dims(); ++d) {
      const double base = problem_.base[Dim{d}];
      const Span span = is_given(Dim{d}) ? problem_.spans[l][Dim{d}] : Span{base, base};
      levels_[l].volume_box[Dim{d}] = span.most;
      levels_[l].room_box[Dim{d}] = span.least;
    }
}

void RelaxModel::add_level(const Computation& computation, std::size_t l) {
  Level& level = levels_[l];
  const LoopOrder& order = problem_.orders[l];
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    const Loop loop{*dim, axis_of_dim_[index(*dim)]};
    if (loop.axis >= 0 || volume_box(l + 1)[*dim] > level.volume_box[*dim])
      level.loops.push_back(loop);
  }
  for (const TensorAccess& access : computation.tensors) {
    const auto q = std::ranges::find_if(
        level.loops, [&](const Loop& loop) { return is_present(access, loop.dim); });
    const bool settles = q != level.loops.end();
    level.settling.push_back(settles ? static_cast<int>(q - level.loops.begin()) : -1);
  }
  if (problem_.rule.kind == Capacity::lru2) double_next(computation, l);
}

/// Chooses the size that the rule lru2 doubles, along the innermost loop where the tile may be
/// smaller than the extent. A given size is doubled here already, unless it may be the extent.
void RelaxModel::double_next(const Computation& computation, std::size_t l) {
  Level& level = levels_[l];
  const LoopOrder& order = problem_.orders[l];
  const auto next = std::find_if(order.rbegin(), order.rend(), [&](Dim dim) {
    return axis_of_dim_[index(dim)] >= 0 || level.room_box[dim] < whole_[dim];
  });
  if (next == order.rend()) return;
  level.doubled = axis_of_dim_[index(*next)];
  if (problem_.form != WindowForm::below) return;
  const auto extent = static_cast<double>(computation.extent(*next));
  if (level.doubled < 0) {
    const bool may_be_whole = level.volume_box[*next] >= extent;
    if (!may_be_whole) level.room_box[*next] = std::min(2 * level.room_box[*next], extent);
    return;
  }
  const double base = problem_.base[*next];
  const double twice = std::min(2 * base, extent);
  level.double_power = std::log(extent / twice) / std::log(extent / base);
  level.double_factor = twice / std::pow(base, level.double_power);
}

RelaxModel::Window RelaxModel::window_of(const Computation& computation,
                                         const DataDim& data) const {
  Window window;
  std::int64_t common = 0;
  for (const Term& term : data.terms) {
    const int axis = axis_of_dim_[index(term.dim)];
    const double base = problem_.base[term.dim];
    if (axis < 0 && base <= 1 && !is_given(term.dim)) continue;
    common = std::gcd(common, term.coefficient);
    window.push_back({term.dim, axis, static_cast<double>(std::abs(term.coefficient)), base,
                      static_cast<double>(computation.extent(term.dim))});
  }
  for (Index& each : window) each.coefficient /= static_cast<double>(common);
  return window;
}

/// Returns a lower bound of eq. (F2) for the size T of `variable` and the size t of `given`, whose
/// coefficients are a and b. For t > a, (F2) is a T + b (t - a) if T >= b, and t T if T is smaller;
/// the bound is a T + (t - a) min(b, base). For t <= a, (F2) and the bound are t T. The bound also
/// limits the growth of (F2) from below when either size doubles, and therefore the volume that a
/// window loads while it slides.
ValueWithSlope RelaxModel::card_below(const Index& variable, const Index& given,
                                      const Box& box) const {
  const double size = box[given.dim];
  const double a = variable.coefficient, b = given.coefficient;
  const double by_variable = std::min(size, a) * box[variable.dim];
  ValueWithSlope card{.value = by_variable + std::max(0.0, size - a) * std::min(b, variable.base)};
  card.slope[variable.axis] = by_variable;
  return card;
}

/// Returns eq. (F2), or for WindowForm::posynomial with two variable sizes its linear upper bound
/// a*Tx + b*Ty. If only one size is a variable, such as Tx, that form takes (F2), which is Tx*Ty,
/// if Ty < a, and otherwise the smaller upper bound a*Tx + (b*Ty - a*b). For WindowForm::below with
/// one variable size, returns the lower bound of card_below().
ValueWithSlope RelaxModel::card_of_two(const Index& x, const Index& y, const Box& box) const {
  const int free = (x.axis >= 0 ? 1 : 0) + (y.axis >= 0 ? 1 : 0);
  if (problem_.form == WindowForm::below && free == 1)
    return x.axis >= 0 ? card_below(x, y, box) : card_below(y, x, box);
  const double tx = box[x.dim], ty = box[y.dim];
  const double a = x.coefficient, b = y.coefficient;
  const double fixed_excess = x.axis < 0 ? tx - b : ty - a;
  const bool exact =
      problem_.form == WindowForm::exact || free == 0 || (free == 1 && fixed_excess < 0);
  ValueWithSlope card{.value = a * tx + b * ty - (free == 2 ? 0 : a * b)};
  double by_x = a, by_y = b;
  if (exact) {
    const double over_x = std::max(0.0, tx - b), over_y = std::max(0.0, ty - a);
    card.value = tx * ty - over_x * over_y;
    by_x = ty - (tx >= b - kKinkTolerance ? over_y : 0);
    by_y = tx - (ty >= a - kKinkTolerance ? over_x : 0);
  }
  if (x.axis >= 0) card.slope[x.axis] = by_x * tx;
  if (y.axis >= 0) card.slope[y.axis] = by_y * ty;
  return card;
}

ValueWithSlope RelaxModel::card(const Window& window, const Box& box) const {
  if (window.empty()) return {.value = 1};
  const auto is_variable = [](const Index& each) { return each.axis >= 0; };
  const auto variables = std::ranges::count_if(window, is_variable);
  const bool needs_one = problem_.form == WindowForm::below && (variables > 1 || window.size() > 2);
  if (needs_one || window.size() == 1) {
    // Different values of one iterator give different indices, so one iterator alone is a bound.
    const Index& longest = *std::ranges::max_element(
        window, {}, [](const Index& each) { return std::pair(each.axis >= 0, each.extent); });
    ValueWithSlope card{.value = box[longest.dim]};
    if (longest.axis >= 0) card.slope[longest.axis] = card.value;
    return card;
  }
  if (window.size() == 2) return card_of_two(window[0], window[1], box);
  // Three or more iterators use the posynomial upper bound.
  ValueWithSlope card;
  for (const Index& each : window) {
    const double size = each.coefficient * box[each.dim];
    card.value += size;
    if (each.axis >= 0) card.slope[each.axis] += size;
  }
  return card;
}

RelaxModel::Box RelaxModel::box_of(const Box& fixed, const double* log_sizes) const {
  Box box = fixed;
  for (std::size_t a = 0; a < axes(); ++a) box[axes_[a]] = std::exp(log_sizes[a]);
  return box;
}

double RelaxModel::extent_at(std::size_t l, std::size_t axis, const double* x) const {
  return l == levels() ? upper_[axis] : x[l * axes() + axis];
}

double RelaxModel::log_trips(std::size_t l, const Loop& loop, const double* x) const {
  if (loop.axis >= 0) {
    const auto axis = static_cast<std::size_t>(loop.axis);
    return extent_at(l + 1, axis, x) - x[l * axes() + axis];
  }
  return std::log(volume_box(l + 1)[loop.dim] / volume_box(l)[loop.dim]);
}

/// Returns the log of the elements of tensor `t` that enter level `l` during one tile of the next
/// outer level. `slope` receives the derivatives by the axes of the tile of `l`, then by the axes
/// of that outer tile.
double RelaxModel::log_volume(std::size_t l, std::size_t t, const double* x,
                              std::vector<double>& slope) const {
  const std::size_t n = axes();
  const Level& level = levels_[l];
  const int settled = level.settling[t];
  const Loop q = settled < 0 ? Loop{} : level.loops[static_cast<std::size_t>(settled)];
  Box box = box_of(level.volume_box, x + l * n);
  double volume = 0;
  slope.assign(2 * n, 0);
  const auto add_trips = [&](const Loop& loop, double share) {
    if (loop.axis < 0) return;
    slope[loop.axis] -= share;
    slope[n + loop.axis] += share;
  };
  for (const Window& window : tensors_[t].windows) {
    const ValueWithSlope once = card(window, box);
    const bool sweeps = std::ranges::any_of(
        window, [&](const Index& each) { return settled >= 0 && each.dim == q.dim; });
    if (!sweeps) {
      volume += std::log(once.value);
      for (std::size_t a = 0; a < n; ++a) slope[a] += once.slope[a] / once.value;
      continue;
    }
    const double trips = std::exp(log_trips(l, q, x));
    box[q.dim] *= 2;
    const ValueWithSlope twice = card(window, box);
    box[q.dim] /= 2;
    const double fresh = twice.value - once.value;
    const double sweep = once.value + (trips - 1) * fresh;
    volume += std::log(sweep);
    for (std::size_t a = 0; a < n; ++a)
      slope[a] += (once.slope[a] + (trips - 1) * (twice.slope[a] - once.slope[a])) / sweep;
    add_trips(q, trips * fresh / sweep);
  }
  for (int i = settled + 1; settled >= 0 && i < static_cast<int>(level.loops.size()); ++i) {
    volume += log_trips(l, level.loops[i], x);
    add_trips(level.loops[i], 1);
  }
  return volume;
}

/// Returns the log of the seconds of level `l` over the whole execution, minus the log of the
/// iterations. Its derivatives by all variables are added to `slope`, unless `slope` is null.
double RelaxModel::log_time(std::size_t l, const double* x, double* slope) const {
  const std::size_t n = axes();
  const RelaxLevel& spec = problem_.levels[l];
  std::vector<double> terms(tensors_.size());
  std::vector<std::vector<double>> slopes(tensors_.size());
  for (std::size_t t = 0; t < tensors_.size(); ++t)
    terms[t] = log_volume(l, t, x, slopes[t]) +
               std::log(1 + (tensors_[t].transfers - 1) * spec.write_cost);
  double time = log_sum(terms) - std::log(spec.bandwidth) - log_iterations_;
  for (std::size_t a = 0; a < n; ++a) time += upper_[a] - extent_at(l + 1, a, x);
  for (int d = 0; d < static_cast<int>(axis_of_dim_.size()); ++d)
    if (is_given(Dim{d})) time += std::log(whole_[Dim{d}] / volume_box(l + 1)[Dim{d}]);
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

double RelaxModel::fullness(std::size_t l, const double* log_sizes, double* slope) const {
  const std::size_t n = axes();
  const Level& level = levels_[l];
  Box box = box_of(level.room_box, log_sizes);
  if (level.doubled >= 0) {
    double& size = box[axes_[static_cast<std::size_t>(level.doubled)]];
    size = level.double_factor * std::pow(size, level.double_power);
  }
  std::vector<double> terms(tensors_.size(), 0);
  std::vector<std::array<double, kMaxDims>> slopes(tensors_.size());
  for (std::size_t t = 0; t < tensors_.size(); ++t)
    for (const Window& window : tensors_[t].windows) {
      const ValueWithSlope once = card(window, box);
      terms[t] += std::log(once.value);
      for (std::size_t a = 0; a < n; ++a) slopes[t][a] += once.slope[a] / once.value;
    }
  const double elements = log_sum(terms);
  const auto power = [&](std::size_t a) {
    return static_cast<int>(a) == level.doubled ? level.double_power : 1;
  };
  for (std::size_t t = 0; slope != nullptr && t < tensors_.size(); ++t)
    for (std::size_t a = 0; a < n; ++a) slope[a] += terms[t] * slopes[t][a] * power(a);
  return elements - std::log(problem_.levels[l].capacity);
}

void RelaxModel::evaluate(const double* x, double* g, double* jacobian) const {
  const std::size_t n = axes(), width = variables(), tau = width - 1;
  if (jacobian != nullptr) std::fill_n(jacobian, constraints() * width, 0.0);
  const auto row = [&](std::size_t i) {
    return jacobian == nullptr ? nullptr : jacobian + i * width;
  };
  for (std::size_t l = 0; l < levels(); ++l) {
    const bool counts = problem_.levels[l].counts;
    g[l] = counts ? log_time(l, x, row(l)) - x[tau] : -1;
    if (counts && jacobian != nullptr) row(l)[tau] = -1;
    double* const slope = row(levels() + l);
    g[levels() + l] = fullness(l, x + l * n, slope == nullptr ? nullptr : slope + l * n);
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

std::size_t RelaxModel::slowest(const double* x) const {
  std::size_t slowest = 0;
  double most = -HUGE_VAL;
  for (std::size_t l = 0; l < levels(); ++l) {
    const double time = problem_.levels[l].counts ? log_time(l, x) : -HUGE_VAL;
    if (time > most) slowest = l;
    most = std::max(most, time);
  }
  return slowest;
}

void RelaxModel::fix_tile(std::size_t l, double* lower, double* upper) const {
  if (problem_.fixed.empty() || !problem_.fixed[l]) return;
  for (std::size_t a = 0; a < axes(); ++a)
    lower[a] = upper[a] = std::log((*problem_.fixed[l])[axes_[a]]);
}

PerDim<double> RelaxModel::tile(std::size_t l, const double* log_sizes) const {
  return box_of(levels_[l].volume_box, log_sizes);
}

}  // namespace tileplan
