// SPDX-License-Identifier: Apache-2.0
// This file evaluates the constraints of the relaxation and their gradients in log space.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "computation.h"
#include "relax_problem.h"

namespace tileplan {

/// Holds a value and its derivatives with respect to the log of one tile's size along each axis.
struct ValueWithSlope {
  double value = 0;
  std::array<double, kMaxDims> slope{};
};

/// Evaluates the constraints g(x) <= 0. An axis is a dimension that is larger than its base and
/// whose sizes are not given. The variables are log T_a^l, the log of the tile size of level l
/// along axis a, at `l * axes + a`, and last tau, the log of the seconds minus the log of the
/// iterations. The constraints bound the times of the levels by tau (those without
/// RelaxLevel::counts have a constraint that always holds), then the tiles by the capacities, then
/// T^l by T^{l+1} for every axis.
class RelaxModel {
 public:
  RelaxModel(const Computation& computation, const RelaxProblem& problem);

  std::size_t axes() const { return axes_.size(); }
  std::size_t levels() const { return problem_.levels.size(); }
  std::size_t variables() const { return levels() * axes() + 1; }
  std::size_t constraints() const { return 2 * levels() + (levels() - 1) * axes(); }

  /// Returns the log of the least tile size along each axis.
  const std::vector<double>& lower() const { return lower_; }
  const std::vector<double>& upper() const { return upper_; }
  /// Sets both bounds of each axis to the log of its size in the tile of level `l`, if this tile is
  /// fixed.
  void fix_tile(std::size_t l, double* lower, double* upper) const;

  /// Fills g[constraints] and, unless `jacobian` is null, one row of the Jacobian per constraint.
  void evaluate(const double* x, double* g, double* jacobian) const;

  /// Returns the slowest of the levels with RelaxLevel::counts. The variable tau is ignored.
  std::size_t slowest(const double* x) const;
  double log_seconds(std::size_t l, const double* x) const {
    return log_time(l, x) + log_iterations_;
  }
  /// Returns log(elements that tile `log_sizes` requires / capacity of level `l`), which is at most
  /// 0 if the tile fits. Adds the derivatives by `log_sizes` to `slope`, unless it is null.
  double fullness(std::size_t l, const double* log_sizes, double* slope = nullptr) const;

  double tau_of(double log_seconds) const { return log_seconds - log_iterations_; }
  /// Returns the tile of level `l`. Given sizes take their largest values.
  PerDim<double> tile(std::size_t l, const double* log_sizes) const;

 private:
  using Box = PerDim<double>;
  struct Index {  // Describes one iterator of an index of a tensor.
    Dim dim{};
    int axis = -1;  // Gives the variable of the size, or -1 for a size that is no variable.
    double coefficient = 1;
    double base = 1;
    double extent = 1;
  };
  using Window = std::vector<Index>;  // Iterators of extent 1 are left out.
  struct Tensor {
    double transfers = 1;
    std::vector<Window> windows;
  };
  struct Loop {
    Dim dim{};
    int axis = -1;
  };
  struct Level {
    std::vector<Loop> loops;  // Active loops are listed innermost first.
    // Holds, for each tensor, the position of the innermost loop over one of its dimensions, or -1.
    std::vector<int> settling;
    // Holds the sizes that volumes count along dimensions without an axis.
    Box volume_box{};
    // Holds the sizes that capacities count along dimensions without an axis.
    Box room_box{};
    int doubled = -1;         // Holds the axis whose size is doubled, or -1.
    double double_power = 1;  // A doubled size is double_factor * T^double_power.
    double double_factor = 2;
  };

  void add_axes(const Computation& computation);
  void add_boxes(const Computation& computation);
  bool is_given(Dim dim) const;
  void add_level(const Computation& computation, std::size_t l);
  void double_next(const Computation& computation, std::size_t l);
  Window window_of(const Computation& computation, const DataDim& data) const;
  ValueWithSlope card(const Window& window, const Box& box) const;
  ValueWithSlope card_of_two(const Index& x, const Index& y, const Box& box) const;
  ValueWithSlope card_below(const Index& variable, const Index& given, const Box& box) const;
  Box box_of(const Box& fixed, const double* log_sizes) const;
  const Box& volume_box(std::size_t l) const {
    return l == levels() ? whole_ : levels_[l].volume_box;
  }
  double log_trips(std::size_t l, const Loop& loop, const double* x) const;
  double log_volume(std::size_t l, std::size_t t, const double* x,
                    std::vector<double>& slope) const;
  double log_time(std::size_t l, const double* x, double* slope = nullptr) const;
  double extent_at(std::size_t l, std::size_t axis, const double* x) const;

  const RelaxProblem& problem_;
  std::vector<Dim> axes_;
  // Gives the axis of each dimension, or -1 for a size that is no variable.
  std::vector<int> axis_of_dim_;
  std::vector<double> lower_, upper_;
  std::vector<Tensor> tensors_;
  std::vector<Level> levels_;
  Box whole_{};
  double log_iterations_ = 0;
};

}  // namespace tileplan
