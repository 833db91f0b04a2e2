// SPDX-License-Identifier: Apache-2.0
// This file measures the rounding errors and the transforms of Winograd convolutions, and writes
// tables and a plot. Errors are measured with convolutions of random data that are small enough to
// be computed in double precision too.
#include "winograd_study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "plot.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/verify.h"
#include "transform_cycles.h"
#include "winograd_error.h"
#include "winograd_reference.h"

namespace tileplan {
namespace {

constexpr std::int64_t kChannels[] = {64, 128, 256, 512};
constexpr std::int64_t kOutputChannels = 32;
constexpr std::int64_t kTilesPerSide = 2;

WinogradMatrices matrices_of(const WinogradCase& algorithm) {
  return winograd_matrices(algorithm.size.outputs, algorithm.size.taps, algorithm.points);
}

ConvShape shape_of(WinogradSize size, std::int64_t channels) {
  const std::int64_t out = kTilesPerSide * size.outputs;
  const Axis axis{.in = out + size.taps - 1, .out = out, .filter = size.taps};
  return {.c = channels, .k = kOutputChannels, .height = axis, .width = axis};
}

std::vector<float> random_tensor(const TensorLayout& layout, const WinogradData& data,
                                 std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(layout.elements));
  if (data.distribution == RandomData::uniform) {
    fill_random(values, seed);
    return values;
  }
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (float& value : values) value = normal(random);
  return values;
}

struct Tensors {
  Computation computation;
  TensorLayout input_layout, weights_layout, output_layout;
  std::vector<float> input, weights;

  Tensors(const ConvShape& shape, const WinogradData& data)
      : computation(computation_of(shape)),
        input_layout(layout_of(computation, Operand::input, Layout::nchw)),
        weights_layout(layout_of(computation, Operand::weights, Layout::plain)),
        output_layout(layout_of(computation, Operand::output, Layout::nchw)),
        input(random_tensor(input_layout, data, 2 * data.seed)),
        weights(random_tensor(weights_layout, data, 2 * data.seed + 1)) {}

  Operands operands() const { return {{input, input_layout}, {weights, weights_layout}}; }
};

/// Returns the outputs of a direct convolution, which adds the products of an output one after
/// another.
std::vector<float> direct_convolution(const Tensors& tensors) {
  const Computation& computation = tensors.computation;
  const Operands operands = tensors.operands();
  const Reader input(computation.tensor(Operand::input), operands.input);
  const Reader weights(computation.tensor(Operand::weights), operands.weights);
  const std::vector<Dim> outputs = output_dims(computation), sums = reduction_dims(computation);
  std::vector<float> result(static_cast<std::size_t>(tensors.output_layout.elements));
  Tile point;
  do {
    float sum = 0;
    do {
      float a = 0, b = 0;
      input.read(point, sums.back(), 1, &a);
      weights.read(point, sums.back(), 1, &b);
      sum = std::fma(a, b, sum);
    } while (advance(computation, sums, point));
    result[element_index(computation.tensor(Operand::output), tensors.output_layout, point)] = sum;
  } while (advance(computation, outputs, point));
  return result;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<double> errors_of(const std::vector<float>& got, const std::vector<double>& exact) {
  std::vector<double> errors;
  errors.reserve(got.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    errors.push_back(std::abs(static_cast<double>(got[i]) - exact[i]));
  return errors;
}

std::string name_of(const WinogradCase& algorithm) {
  return joined("F(", algorithm.size.outputs, ',', algorithm.size.taps, ')');
}

std::string points_text(const WinogradCase& algorithm) {
  std::string text;
  for (const WinogradPoint& point : algorithm.points) text += point.value.str() + ' ';
  return text + "infinity";
}

std::string name_of(RandomData distribution) {
  return distribution == RandomData::uniform ? "uniform" : "normal";
}

/// Returns the number of multiplications of a direct convolution, divided by that of the Winograd
/// algorithm with `size` along both height and width.
double saving_of(WinogradSize size) {
  const double side =
      static_cast<double>(size.outputs) * size.taps / (size.outputs + size.taps - 1);
  return side * side;
}

constexpr const char* kColumns =
    "algorithm,points,in use,channels,data,saving,amplification,growth,relative bound,"
    "rms error,direct rms error,largest error,largest error in deviations,least bound in errors\n";
constexpr const char* kCycleColumns =
    "algorithm,points,in use,in with planes in L1,out with planes in L1,in with planes in L2,"
    "out with planes in L2,estimated speedup\n";

std::string csv_row(const WinogradCase& algorithm, const WinogradData& data,
                    const MeasuredError& error) {
  const WinogradMatrices matrices = matrices_of(algorithm);
  const WinogradTile tile{matrices, matrices};
  return csv_line(fields_of(name_of(algorithm), points_text(algorithm), algorithm.in_use,
                            data.channels, name_of(data.distribution), saving_of(algorithm.size),
                            amplification(tile), error_growth(tile),
                            relative_error_bound(tile, data.channels), error.rms, error.direct_rms,
                            error.largest, error.deviations, error.bound));
}

constexpr int kSpeedupChannels = 128;

std::string error_conditions() {
  return joined("# errors of f32 against double precision, ", kOutputChannels, " output channels, ",
                kTilesPerSide, " x ", kTilesPerSide,
                " tiles, divided by the root mean square of the outputs\n");
}

std::string cycle_conditions() {
  return joined(
      "# cycles per tile of one vector of channels, planes in L1 and L2; speedup: estimate ",
      "for ", kSpeedupChannels, " channels with products at peak and planes in L2\n");
}

/// Holds the measurements of one algorithm. If `cycles` is empty, the speedup is 0.
struct CaseResult {
  WinogradCase algorithm;
  /// Holds the errors for uniform data with the fewest and with the most channels.
  MeasuredError few, many;
  std::optional<TransformRate> cycles;
  double speedup = 0;

  WinogradTile tile() const { return {matrices_of(algorithm), matrices_of(algorithm)}; }
};

constexpr TextColumns kText{.name = 10, .cell = 11};

std::string summary_head() {
  return text_row(kText, "algorithm",
                  {"saving", "amplified", "rel. bound", "rms, 64", "rms, 512", "of direct",
                   "deviations", "L1 in", "L1 out", "L2 in", "L2 out", "speedup", "  points"});
}

std::string summary_row(const CaseResult& result) {
  const WinogradTile tile = result.tile();
  constexpr double kMillion = 1e6;
  const auto whole = [&](double TransformRate::*member) {
    return result.cycles ? decimals((*result.cycles).*member, 0) : "-";
  };
  return text_row(
      kText, name_of(result.algorithm),
      {decimals(saving_of(result.algorithm.size), 2), decimals(amplification(tile), 1),
       decimals(relative_error_bound(tile, kChannels[0]), 1),
       decimals(result.few.rms, 2, kMillion, "e-6"), decimals(result.many.rms, 2, kMillion, "e-6"),
       decimals(result.many.rms / result.many.direct_rms, 2),
       decimals(std::max(result.few.deviations, result.many.deviations), 2),
       whole(&TransformRate::in_first), whole(&TransformRate::out_first),
       whole(&TransformRate::in_second), whole(&TransformRate::out_second),
       result.cycles ? decimals(result.speedup, 2) : "-", "  " + points_text(result.algorithm)});
}

PlotPoint point_of(const CaseResult& result) {
  return {.x = result.many.rms / result.many.direct_rms,
          .y = result.speedup,
          .label = name_of(result.algorithm) + " at " + points_text(result.algorithm)};
}

/// Returns the plot of speed against errors, with one line per filter size.
std::string errors_svg(const std::vector<CaseResult>& results, const std::string& machine) {
  Plot plot{
      .titles = {.title = "Winograd convolutions, " + machine,
                 .x = "rms error relative to direct, 512 channels",
                 .y = joined("estimated speedup over direct, ", kSpeedupChannels, " channels")},
      .log_x = true,
      .series = {}};
  PlotSeries used{.name = "points in use", .mark = PlotMark::dot};
  PlotSeries others{.name = "other points", .mark = PlotMark::diamond};
  for (int taps = 2; taps < kMostWinogradInputs; ++taps) {
    PlotSeries line{.name = joined(taps, " x ", taps, " taps")};
    for (const CaseResult& result : results) {
      if (result.algorithm.size.taps != taps || !result.cycles) continue;
      const PlotPoint point = point_of(result);
      (result.algorithm.in_use ? used : others).points.push_back(point);
      if (result.algorithm.in_use) line.points.push_back(point);
    }
    if (!line.points.empty()) plot.series.push_back(std::move(line));
  }
  plot.series.push_back(std::move(used));
  plot.series.push_back(std::move(others));
  return plot_svg(plot);
}

std::string cycles_row(const CaseResult& result) {
  const WinogradCase& algorithm = result.algorithm;
  const TransformRate& cycles = *result.cycles;
  return csv_line(fields_of(name_of(algorithm), points_text(algorithm), algorithm.in_use,
                            cycles.in_first, cycles.out_first, cycles.in_second, cycles.out_second,
                            result.speedup));
}

/// Measures the errors of one algorithm and adds their rows to `table`.
CaseResult measure_errors(const WinogradCase& algorithm, std::uint64_t seed, std::string& table) {
  std::vector<MeasuredError> uniform;
  for (const std::int64_t channels : kChannels)
    for (const RandomData distribution : {RandomData::uniform, RandomData::normal}) {
      const WinogradData data{channels, distribution, seed};
      const MeasuredError error = measured_error(algorithm, data);
      table += csv_row(algorithm, data, error);
      if (distribution == RandomData::uniform) uniform.push_back(error);
    }
  return {.algorithm = algorithm, .few = uniform.front(), .many = uniform.back(), .cycles = {}};
}

std::vector<WinogradPoint> plain_points(const std::vector<const char*>& texts) {
  std::vector<WinogradPoint> points;
  points.reserve(texts.size());
  for (const char* const text : texts) points.push_back({.value = Rational(text)});
  return points;
}

}  // namespace

std::vector<WinogradCase> winograd_cases() {
  std::vector<WinogradCase> cases;
  for (const WinogradSize size : winograd_sizes()) cases.push_back({size, winograd_points(size)});
  cases.push_back({{3, 3}, plain_points({"0", "1", "-1", "2"}), false});
  cases.push_back({{3, 3}, plain_points({"1/2", "-1/2", "3/2", "-3/2"}), false});
  cases.push_back({{4, 3}, plain_points({"0", "1", "-1", "2", "-2"}), false});
  cases.push_back({{4, 3}, plain_points({"0", "5/8", "-5/8", "3/2", "-3/2"}), false});
  return cases;
}

MeasuredError measured_error(const WinogradCase& algorithm, const WinogradData& data) {
  const Tensors tensors(shape_of(algorithm.size, data.channels), data);
  const WinogradMatrices matrices = matrices_of(algorithm);
  const WinogradTile tile{matrices, matrices};
  const Operands operands = tensors.operands();
  const TensorLayout& output = tensors.output_layout;
  const std::vector<double> exact = reference(tensors.computation, operands, output);
  const std::vector<double> errors =
      errors_of(winograd_reference<float>(tensors.computation, operands, output, tile), exact);
  const WinogradErrors limits = winograd_errors(tensors.computation, operands, output, tile);
  const double scale = rms(exact);
  MeasuredError measured{.rms = rms(errors) / scale,
                         .largest = std::ranges::max(errors) / scale,
                         .direct_rms = rms(errors_of(direct_convolution(tensors), exact)) / scale,
                         .bound = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] == 0) continue;
    measured.deviations = std::max(measured.deviations, errors[i] / limits.deviation[i]);
    measured.bound = std::min(measured.bound, limits.bound[i] / errors[i]);
  }
  return measured;
}

void study_winograd(const Machine& machine, const StudyOptions& options, const Print& print,
                    const std::vector<WinogradCase>& cases) {
  require_sense(options);
  StudyFolder folder(options, print);
  const std::string facts = study_facts("winograd", machine, options.version);
  std::string errors = facts + error_conditions() + kColumns;
  std::string cycles = facts + cycle_conditions() + kCycleColumns;
  folder.say(facts + error_conditions() + cycle_conditions() + summary_head());
  const PinnedThread pinned;
  const VectorUnit& unit = machine.vector;
  GatedTimer timer(steady_clock(), make_probe(unit.isa), 2.0 * unit.lanes * unit.fma_units);
  std::vector<CaseResult> results;
  for (const WinogradCase& algorithm : cases) {
    if (stop_requested()) break;
    folder.show(results.size(), cases.size());
    CaseResult result = measure_errors(algorithm, options.seed, errors);
    result.cycles = transform_cycles(result.tile(), machine, timer, options.measurements);
    if (result.cycles) {
      result.speedup =
          estimated_speedup(result.tile(), *result.cycles, unit.fma_units, kSpeedupChannels);
      cycles += cycles_row(result);
    }
    folder.write("winograd.csv", errors);
    folder.write("winograd_transforms.csv", cycles);
    folder.say(summary_row(result));
    results.push_back(std::move(result));
  }
  if (!results.empty()) folder.write("winograd.svg", errors_svg(results, machine.name));
}

double estimated_speedup(const WinogradTile& tile, const TransformRate& cycles, int fma_units,
                         int channels) {
  const double outputs = tile.height.outputs * tile.width.outputs;
  const double taps = tile.height.taps * tile.width.taps;
  const double cycles_per_product = static_cast<double>(channels) / fma_units;
  return outputs * taps * cycles_per_product /
         (tile.products() * cycles_per_product + cycles.in_second + cycles.out_second);
}

}  // namespace tileplan
