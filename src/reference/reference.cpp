// SPDX-License-Identifier: Apache-2.0
// This file defines the sums in dot() and, for integers, in integer_dot(). The class RowSums
// computes 32 sums at a time, which is faster.
#include "reference.h"

#include <algorithm>
#include <optional>

#include "integers.h"

namespace tileplan {
namespace {

/// Counts the sums that are computed together. They fill four AVX-512 registers, whose additions
/// hide each other's latency.
constexpr std::int64_t kLanes = 32;

/// Limits the output points that use one block of packed rows in succession, while the L2 cache
/// holds the block.
constexpr std::size_t kPoints = 16;

/// Describes the reduction as nested loops over the dimensions `outer`, around `count` steps along
/// `inner`.
struct Reduction {
  std::vector<Dim> outer;
  Dim inner{};
  std::int64_t count = 1;
  std::size_t steps = 1;
};

/// Chooses the longest reduction dimension as `inner`. Without reduction dimensions, there is a
/// single step.
Reduction reduction_of(const Computation& computation) {
  Reduction reduction{.outer = reduction_dims(computation)};
  for (const Dim dim : reduction.outer)
    reduction.steps *= static_cast<std::size_t>(computation.extent(dim));
  if (reduction.outer.empty()) return reduction;
  const auto longest = std::ranges::max_element(reduction.outer, {},
                                                [&](Dim dim) { return computation.extent(dim); });
  reduction.inner = *longest;
  reduction.count = computation.extent(*longest);
  reduction.outer.erase(longest);
  return reduction;
}

struct Job {
  const Computation& computation;
  Reader readers[2];  ///< The input comes first, then the weights.
  Reduction reduction;

  Job(const Computation& the_computation, const Operands& operands)
      : computation(the_computation),
        readers{{the_computation.tensor(Operand::input), operands.input},
                {the_computation.tensor(Operand::weights), operands.weights}},
        reduction(reduction_of(the_computation)) {}

  /// Copies the elements of one operand that the sum at `point` reads, in the order of the steps.
  void gather(std::size_t operand, Tile point, double* to) const {
    do {
      readers[operand].read(point, reduction.inner, reduction.count, to);
      to += reduction.count;
    } while (advance(computation, reduction.outer, point));
  }

  /// Stores all factors of the input, then those of the weights, in `to`. Returns the number of
  /// factors per operand.
  std::size_t gather_factors(const Tile& point, std::vector<double>& to) const {
    to.resize(2 * reduction.steps);
    gather(0, point, to.data());
    gather(1, point, to.data() + reduction.steps);
    return reduction.steps;
  }
};

/// Returns the sum at one output point, rounded to double.
template <class Sum>
double dot(const Job& job, const Tile& point, std::vector<double>& scratch) {
  const std::size_t steps = job.gather_factors(point, scratch);
  Sum sum = 0;
  for (std::size_t i = 0; i < steps; ++i) sum += Sum{scratch[i]} * Sum{scratch[steps + i]};
  return static_cast<double>(sum);
}

/// Returns the sum of integers at one output point, modulo 2^32.
double integer_dot(const Job& job, const Tile& point, std::vector<double>& scratch) {
  const std::size_t steps = job.gather_factors(point, scratch);
  const auto integer = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(scratch[at]));
  };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < steps; ++i) sum += integer(i) * integer(steps + i);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum));
}

using Dot = double (*)(const Job& job, const Tile& point, std::vector<double>& scratch);

bool has_doubles(const Computation& computation) {
  return std::ranges::count(computation.tensors, ElementType::f64, &TensorAccess::type) > 0;
}

bool has_integers(const Computation& computation) {
  return is_integer(computation.tensor(Operand::input).type);
}

/// Returns true when sums of doubles are exact, or more precise than the elements of all tensors.
/// Integers have exact sums if they have fewer than 32 bits and at most 2^20 products are added.
bool sums_in_doubles(const Computation& computation) {
  constexpr std::int64_t kMostProducts = std::int64_t{1} << 20;
  if (has_doubles(computation)) return false;
  if (!has_integers(computation)) return true;
  const ElementType type = computation.tensor(Operand::input).type;
  std::int64_t products = 1;
  for (const Dim dim : reduction_dims(computation))
    products = std::min(kMostProducts + 1, products * computation.extent(dim));
  return type != ElementType::s32 && products <= kMostProducts;
}

/// Returns integer_dot(), or dot() for a type of sums that is more precise than the elements of all
/// tensors.
Dot dot_of(const Computation& computation) {
  if (has_integers(computation)) return integer_dot;
  return has_doubles(computation) ? dot<long double> : dot<double>;
}

/// Names the dimension of 32 neighbouring sums, and the operand that has this dimension.
struct RowDim {
  Dim dim{};
  std::size_t operand = 0;
};

/// Returns the longest output dimension that only one operand has, or nothing if there is none.
std::optional<RowDim> row_dim(const Computation& computation) {
  std::optional<RowDim> best;
  for (const Dim dim : output_dims(computation)) {
    const bool in_input = is_present(computation.tensor(Operand::input), dim);
    if (in_input == is_present(computation.tensor(Operand::weights), dim)) continue;
    if (best && computation.extent(dim) <= computation.extent(best->dim)) continue;
    best = RowDim{dim, in_input ? std::size_t{0} : std::size_t{1}};
  }
  return best;
}

/// Returns the packed rows[lane block][step][lane]. Zeros pad the last block.
std::vector<float> pack_rows(const Job& job, const RowDim& row, Tile point) {
  const std::int64_t extent = job.computation.extent(row.dim);
  const std::size_t blocks = static_cast<std::size_t>(ceil_div(extent, kLanes));
  std::vector<float> rows(blocks * job.reduction.steps * kLanes);
  std::vector<Dim> steps = job.reduction.outer;
  if (job.reduction.count > 1) steps.push_back(job.reduction.inner);
  float* to = rows.data();
  for (std::int64_t first = 0; first < extent; first += kLanes) {
    point[row.dim] = first;
    do {
      job.readers[row.operand].read(point, row.dim, std::min(kLanes, extent - first), to);
      to += kLanes;
    } while (advance(job.computation, steps, point));
  }
  return rows;
}

/// Computes sums[lane], the sum of scalars[step] * rows[step][lane] over all steps.
[[gnu::always_inline]] inline void sum_rows(const double* scalars, const float* rows,
                                            std::size_t steps, double* sums) {
  double held[kLanes] = {};
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      held[lane] += scalars[step] * static_cast<double>(rows[lane]);
    rows += kLanes;
  }
  std::copy_n(held, kLanes, sums);
}

using SumRows = void (*)(const double*, const float*, std::size_t, double*);

// The fastest version is selected by hand, because target_clones selects before sanitizers are
// ready.
[[gnu::target("avx512f")]] void sum_rows_avx512(const double* scalars, const float* rows,
                                                std::size_t steps, double* sums) {
  sum_rows(scalars, rows, steps, sums);
}

[[gnu::target("avx2,fma")]] void sum_rows_avx2(const double* scalars, const float* rows,
                                               std::size_t steps, double* sums) {
  sum_rows(scalars, rows, steps, sums);
}

void sum_rows_default(const double* scalars, const float* rows, std::size_t steps, double* sums) {
  sum_rows(scalars, rows, steps, sums);
}

SumRows fastest_sum_rows() {
  if (__builtin_cpu_supports("avx512f")) return sum_rows_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return sum_rows_avx2;
  return sum_rows_default;
}

/// Computes 32 outputs at a time from packed rows and the scalars of at most kPoints output points.
class RowSums {
 public:
  RowSums(const Job& job, const RowDim& row, const TensorLayout& output)
      : job_(job), row_(row), output_(output), scalars_(kPoints * job.reduction.steps) {
    for (const Dim dim : output_dims(job.computation))
      if (!is_present(job.computation.tensors[row.operand], dim)) free_.push_back(dim);
  }

  /// Computes all outputs that read the same rows as `point`.
  void add(Tile point, std::vector<double>& result) {
    const std::vector<float> rows = pack_rows(job_, row_, point);
    do {
      job_.gather(1 - row_.operand, point, &scalars_[points_.size() * job_.reduction.steps]);
      points_.push_back(point);
      if (points_.size() == kPoints) flush(rows, result);
    } while (advance(job_.computation, free_, point));
    flush(rows, result);
  }

 private:
  void flush(const std::vector<float>& rows, std::vector<double>& result) {
    static const SumRows sum = fastest_sum_rows();
    const std::size_t steps = job_.reduction.steps;
    double sums[kLanes];
    for (std::int64_t first = 0; first < job_.computation.extent(row_.dim); first += kLanes) {
      const float* block = &rows[static_cast<std::size_t>(first) * steps];
      for (std::size_t p = 0; p < points_.size(); ++p) {
        sum(&scalars_[p * steps], block, steps, sums);
        points_[p][row_.dim] = first;
        add_block(points_[p], sums, result);
      }
    }
    points_.clear();
  }

  /// Adds up to 32 sums to the outputs from `point` on.
  void add_block(Tile point, const double* sums, std::vector<double>& result) const {
    const TensorAccess& access = job_.computation.tensor(Operand::output);
    std::int64_t& lane = point[row_.dim];
    const std::int64_t end = std::min(lane + kLanes, job_.computation.extent(row_.dim));
    for (; lane < end; ++lane) result[element_index(access, output_, point)] += *sums++;
  }

  const Job& job_;
  const RowDim& row_;
  const TensorLayout& output_;
  std::vector<Dim> free_;  ///< Lists the output dimensions that the operand of the rows lacks.
  std::vector<double> scalars_;
  std::vector<Tile> points_;
};

std::vector<double> by_rows(const Job& job, const RowDim& row, const TensorLayout& output) {
  std::vector<double> result(static_cast<std::size_t>(output.elements));
  // These are the output dimensions besides row.dim that the operand of the rows has, such as
  // groups.
  std::vector<Dim> shared;
  for (const Dim dim : output_dims(job.computation))
    if (dim != row.dim && is_present(job.computation.tensors[row.operand], dim))
      shared.push_back(dim);
  RowSums sums(job, row, output);
  Tile point;
  do {
    sums.add(point, result);
  } while (advance(job.computation, shared, point));
  if (has_integers(job.computation))
    for (double& sum : result) sum = wrapped(sum);
  return result;
}

std::vector<double> by_dots(const Job& job, const TensorLayout& output) {
  std::vector<double> result(static_cast<std::size_t>(output.elements));
  const TensorAccess& access = job.computation.tensor(Operand::output);
  const std::vector<Dim> dims = output_dims(job.computation);
  const Dot dot = dot_of(job.computation);
  std::vector<double> scratch;
  Tile point;
  do {
    result[element_index(access, output, point)] += dot(job, point, scratch);
  } while (advance(job.computation, dims, point));
  return result;
}

}  // namespace

std::vector<double> reference(const Computation& computation, const Operands& operands,
                              const TensorLayout& output) {
  const Job job(computation, operands);
  const std::optional<RowDim> row = row_dim(computation);
  return row && sums_in_doubles(computation) ? by_rows(job, *row, output) : by_dots(job, output);
}

std::vector<double> expected_at(const Computation& computation, const Operands& operands,
                                std::span<const OutputPoint> points) {
  const Job job(computation, operands);
  const Dot dot = dot_of(computation);
  std::vector<double> scratch, expected;
  expected.reserve(points.size());
  for (const OutputPoint& point : points) expected.push_back(dot(job, point.iterators, scratch));
  return expected;
}

}  // namespace tileplan
