// SPDX-License-Identifier: Apache-2.0
// The constraints of the relaxation with their gradients, in log space. model.md 5.1.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "computation.h"
#include "relax.h"

namespace tileplan {

/// A value and its derivatives by log T of each axis in one tile.
struct Sloped {
  double value = 0;
  std::array<double, kMaxDims> slope{};
};

/// Variables: log T_a^l at `l * axes + a` for the dims that are larger than their base ("axes"),
/// then tau, the log of the seconds less the log of the iterations. Constraints g(x) <= 0: per
/// level the volume, per level the capacity, then T^l <= T^{l+1} for every axis.
class RelaxModel {
 public:
  RelaxModel(const Computation& computation, const RelaxProblem& problem);

  std::size_t axes() const { return axes_.size(); }
  std::size_t levels() const { return problem_.levels.size(); }
  std::size_t variables() const { return levels() * axes() + 1; }
  std::size_t constraints() const { return 2 * levels() + (levels() - 1) * axes(); }

  const std::vector<double>& lower() const { return lower_; }  ///< of one tile
  const std::vector<double>& upper() const { return upper_; }

  /// Fills g[constraints] and, unless null, its Jacobian, row by constraint.
  void evaluate(const double* x, double* g, double* jacobian) const;

  /// log of the seconds of the slowest level; tau is not looked at.
  double slowest(const double* x) const;
  /// log of what level `l` must hold over what it holds, for the tile `log_sizes`.
  double fullness(std::size_t l, const double* log_sizes) const;

  double tau_of(double log_seconds) const { return log_seconds - log_iterations_; }
  PerDim<double> tile(const double* log_sizes) const;

 private:
  struct Index {    // one iterator of a data dim
    int axis = -1;  // -1: its size is fixed
    double coefficient = 1;
    double size = 1;  // when fixed

    double size_in(const double* sizes) const { return axis < 0 ? size : sizes[axis]; }
  };
  using Window = std::vector<Index>;  // one data dim, iterators of extent 1 left out
  struct Tensor {
    double transfers = 1;
    std::vector<Window> windows;
  };
  struct Level {
    std::vector<int> loops;     // axes, innermost first
    std::vector<int> settling;  // per tensor: position of q in `loops`, -1: none present
  };

  Level level_of(const Computation& computation, const LoopOrder& order) const;
  Window window_of(const DataDim& data) const;
  Sloped card(const Window& window, const double* sizes) const;
  Sloped card_of_two(const Index& x, const Index& y, const double* sizes) const;
  void add_volume(std::size_t l, std::size_t t, const double* x, double& log_volume,
                  std::vector<double>& slope) const;
  double log_time(std::size_t l, const double* x, double* slope) const;
  double log_fullness(std::size_t l, const double* log_sizes, double* slope) const;
  double extent_at(std::size_t l, std::size_t axis, const double* x) const;

  const RelaxProblem& problem_;
  std::vector<Dim> axes_;
  std::vector<int> axis_of_dim_;  // -1: fixed
  std::vector<double> lower_, upper_;
  std::vector<Tensor> tensors_;
  std::vector<Level> levels_;
  double log_iterations_ = 0;
};

}  // namespace tileplan
