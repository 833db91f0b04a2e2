// SPDX-License-Identifier: Apache-2.0
// Loops are drawn from the innermost to the outermost.
#include "random_sample.h"

#include <algorithm>

#include "integers.h"
#include "search_space.h"

namespace tileplan {

namespace {

/// Describes a drawn loop, which encloses all loops drawn before it. A list of blocks (lambda) has
/// the factor 0.
struct Draw {
  Dim dim{};
  std::int64_t factor = 0;
};

class Sampler {
 public:
  Sampler(const Computation& computation, const KernelCombo& kernels, int lanes)
      : computation_(computation), kernels_(kernels), lanes_(lanes) {
    const Tile covered = covered_extents(computation, kernels.vectorised, lanes);
    for (int d = 0; d < computation.dims(); ++d)
      left_[Dim{d}] = covered[Dim{d}] / kernels.base[Dim{d}];
  }

  Schedule draw(std::mt19937& random) {
    draw_reduction(random);
    bool lambda_left = kernels_.lambda.has_value();
    for (;;) {
      std::vector<Draw> choices = loops();
      if (lambda_left) choices.push_back({.dim = kernels_.lambda->dim, .factor = 0});
      if (choices.empty()) break;
      const Draw drawn = choices[random_place(choices.size(), random)];
      lambda_left = lambda_left && drawn.factor != 0;
      if (drawn.factor == 0)
        add_lambda();
      else
        add_loop(drawn);
    }
    std::reverse(loops_.begin(), loops_.end());
    append_register_tile();
    return {.loops = std::move(loops_)};
  }

 private:
  /// Draws the loop directly around the microkernel, over the first reduction dimension, with more
  /// than one trip. Draws no loop if this dimension has only one trip.
  void draw_reduction(std::mt19937& random) {
    for (int d = 0; d < computation_.dims(); ++d) {
      if (computation_.role(Dim{d}) != Role::reduction) continue;
      if (left_[Dim{d}] == 1) return;
      const std::vector<std::int64_t> factors = divisors(left_[Dim{d}]);
      add_loop({.dim = Dim{d}, .factor = factors[1 + random_place(factors.size() - 1, random)]});
      return;
    }
  }

  std::vector<Draw> loops() const {
    std::vector<Draw> all;
    for (int d = 0; d < computation_.dims(); ++d)
      for (const std::int64_t factor : divisors(left_[Dim{d}]))
        if (factor > 1) all.push_back({.dim = Dim{d}, .factor = factor});
    return all;
  }

  void add_loop(const Draw& drawn) {
    left_[drawn.dim] /= drawn.factor;
    loops_.push_back({.dim = computation_.name(drawn.dim), .count = drawn.factor});
  }

  void add_lambda() {
    const Lambda& lambda = *kernels_.lambda;
    std::vector<Part> parts = lambda.parts;
    const std::string& name = computation_.name(lambda.dim);
    for (Part& part : parts) {
      if (lambda.dim == kernels_.vectorised) part.size /= lanes_;
      // A block contains all iterations of the loops inside it.
      for (const Specifier& inside : loops_)
        if (inside.dim == name) part.size *= inside.count;
    }
    loops_.push_back({.kind = Kind::lambda, .dim = name, .parts = std::move(parts)});
  }

  void append_register_tile() {
    for (int d = 0; d < computation_.dims(); ++d) {
      const Dim dim{d};
      const bool sized = lambda_of(kernels_, dim) != nullptr;
      const std::int64_t size = kernels_.base[dim] / (dim == kernels_.vectorised ? lanes_ : 1);
      if (sized || size > 1)
        loops_.push_back(
            {.kind = Kind::unroll, .dim = computation_.name(dim), .count = sized ? 0 : size});
    }
    loops_.push_back({.kind = Kind::vector, .dim = computation_.name(kernels_.vectorised)});
  }

  const Computation& computation_;
  const KernelCombo& kernels_;
  const int lanes_;
  Tile left_;  ///< Holds the trips of each dimension that the drawn loops do not cover yet.
  /// Lists the loops with the innermost one first until draw() reverses the list.
  std::vector<Specifier> loops_;
};

}  // namespace

Schedule random_schedule(const Computation& computation, const std::vector<KernelCombo>& combos,
                         int lanes, std::mt19937& random) {
  const KernelCombo& kernels = combos[random_place(combos.size(), random)];
  return Sampler(computation, kernels, lanes).draw(random);
}

}  // namespace tileplan
