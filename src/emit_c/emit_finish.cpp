// SPDX-License-Identifier: Apache-2.0
// This file writes the loops that correct and convert sums, row by row (src/lower/output_rows.h).
// They compute as src/jit/output_conversion.cpp and src/jit/zero_points.cpp do.
#include <array>
#include <cmath>
#include <limits>

#include "c_text.h"
#include "element.h"
#include "emit_stages.h"
#include "output_rows.h"

namespace tileplan {
namespace {

/// Returns C text for `value` / `divisor`, or for the remainder if `sign` is "%".
std::string divided(const std::string& value, std::int64_t divisor, const char* sign = "/") {
  if (divisor == 1) return *sign == '%' ? "0" : value;
  return value + " " + sign + " " + number(divisor);
}

class FinishWriter {
 public:
  FinishWriter(CWriter& out, const EmitContext& context)
      : out_(out),
        stages_(*context.stages),
        numbers_(stages_.epilogue.quantisation),
        rows_(output_rows(stages_.elements, stages_.out)),
        output_(stages_.output_type()),
        in_place_(!stages_.has_sums()) {}

  void emit() {
    if (has_sets()) declare_sets();
    if (!in_place_) declare_limits();
    emit_parallel(out_, stages_);
    out_.open("for (int64_t row = 0; row < " + number(rows_.rows) + "; ++row)");
    declare_row();
    out_.open("for (int64_t i = 0; i < real; ++i)");
    finish_element();
    out_.close();
    if (rows_.clears_rest && !in_place_ && !rows_.one_channel)
      out_.line("for (int64_t i = real; i < " + number(rows_.length) +
                "; ++i) output[at + i] = 0;");
    out_.close();
  }

 private:
  bool has_sets() const { return stages_.has_input_point() && stages_.sets.count > 1; }
  bool has_points() const { return stages_.has_weights_points(); }
  std::int64_t pixels() const { return output_pixels(stages_.elements); }

  static std::string table_name(std::size_t direction) {
    constexpr std::array<const char*, 3> kNames = {"set_of_d", "set_of_h", "set_of_w"};
    return kNames[direction];
  }

  /// Writes a table for each direction in which some filter windows reach beyond the input. The
  /// table maps each output to the number of the range of its taps that lie inside the input.
  void declare_sets() {
    for (std::size_t i = 0; i < stages_.sets.directions.size(); ++i) {
      const WindowSets::Direction& direction = stages_.sets.directions[i];
      if (direction.ranges.size() == 1) continue;
      std::string sets;
      for (const std::uint32_t set : direction.of_output)
        sets += (sets.empty() ? "" : ", ") + std::to_string(set);
      out_.line("static const int32_t " + table_name(i) + "[" +
                number(std::ssize(direction.of_output)) + "] = {" + sets + "};");
    }
  }

  /// Returns C text for the number of the set of taps of `pixel`, which is C text too.
  std::string set_of(const std::string& pixel) const {
    std::int64_t inner = 1;
    std::string set;
    std::int64_t sets = 1;
    for (std::size_t i = stages_.sets.directions.size(); i-- > 0;) {
      const WindowSets::Direction& direction = stages_.sets.directions[i];
      if (direction.ranges.size() > 1) {
        const std::string place =
            divided(in_parentheses(divided(pixel, inner)), direction.axis.out, "%");
        std::string term = sets == 1 ? "" : number(sets) + " * ";
        term += table_name(i) + "[" + place + "]";
        if (!set.empty()) term.append(" + ").append(set);
        set = std::move(term);
      }
      sets *= std::ssize(direction.ranges);
      inner *= direction.axis.out;
    }
    return set;
  }

  static double least(ElementType type) {
    return with_element(type, [](auto zero) -> double {
      if constexpr (kIsReal<decltype(zero)>)
        return 0;
      else
        return std::numeric_limits<decltype(zero)>::min();
    });
  }
  static double most(ElementType type) {
    return with_element(type, [](auto zero) -> double {
      if constexpr (kIsReal<decltype(zero)>)
        return 0;
      else
        return std::numeric_limits<decltype(zero)>::max();
    });
  }

  /// Declares the limits of results. For integers, the limits keep results in the range of their
  /// type after the zero point is added.
  void declare_limits() {
    const Epilogue& epilogue = stages_.epilogue;
    if (!is_integer(output_)) {
      if (std::isfinite(epilogue.low))
        out_.line("const float low = " + exact_float_text(epilogue.low) + ";");
      if (std::isfinite(epilogue.high))
        out_.line("const float high = " + exact_float_text(epilogue.high) + ";");
      return;
    }
    const std::string point = numbers_.output_zero_point ? " - output_zero_point" : "";
    out_.line("const double least = " + exact_text(least(output_)) + point +
              ", most = " + exact_text(most(output_)) + point + ";");
    declare_limit("low", epilogue.low, "least");
    declare_limit("high", epilogue.high, "most");
  }

  void declare_limit(const std::string& name, double value, const std::string& unlimited) {
    std::string text = unlimited;
    if (std::isfinite(value)) {
      const std::string limit = exact_text(value);
      text = limit + " < least ? least : " + limit + " > most ? most : " + limit;
    }
    out_.line("const float " + name + " = (float)(" + text + ");");
  }

  std::string start() const {
    if (rows_.matrix_rows == 0) return "row * " + number(rows_.length);
    return divided("row", rows_.matrix_rows) + " * " + number(rows_.matrix) + " + " +
           divided("row", rows_.matrix_rows, "%") + " * " + number(rows_.length);
  }

  void declare_row() {
    out_.line("const int64_t at = " + start() + ";");
    const std::string first =
        divided(in_parentheses(divided("row", rows_.repeats)), rows_.places, "%");
    const std::string step = rows_.one_channel ? "" : " * " + number(rows_.length);
    const bool is_zero = rows_.places == 1;
    const std::string channel = is_zero ? "0" : first + step;
    if (needs_channel()) out_.line("const int64_t first = " + channel + ";");
    if (rows_.one_channel || rows_.channels % rows_.length == 0)
      out_.line("const int64_t real = " + number(rows_.length) + ";");
    else
      out_.line("const int64_t left = " + number(rows_.channels) + " - (" + channel +
                "), real = left < " + number(rows_.length) + " ? left : " + number(rows_.length) +
                ";");
    if (!stages_.differs_by_pixel()) return;
    declare_pixel();
  }

  bool needs_channel() const {
    return stages_.differs_by_pixel() || numbers_.scales == Granularity::channel;
  }

  /// Writes the C declarations that corrections for zero points need in one row of outputs. A row
  /// of channels needs the position of its pixel and the sums of its window. A row of pixels needs
  /// its image if the weights have zero points.
  void declare_pixel() {
    if (rows_.one_channel) {
      if (has_points()) out_.line("const int64_t image = " + divided("row", rows_.places) + ";");
      return;
    }
    const std::string position = rows_.repeats == 1 ? divided("row", rows_.places)
                                                    : divided("row", rows_.repeats * rows_.places) +
                                                          " * " + number(rows_.repeats) + " + " +
                                                          divided("row", rows_.repeats, "%");
    out_.line("const int64_t position = " + position + ";");
    if (has_sets()) {
      const std::string set = set_of("pixel");
      if (set.find("pixel") != std::string::npos)
        out_.line("const int64_t pixel = position % " + number(pixels()) + ";");
      out_.line("const int32_t *const some = windows + " + number(rows_.channels) + " * (" + set +
                ");");
    }
    if (has_points())
      out_.line("const int32_t *const window = window_sums + position * " +
                number(groups_of(stages_.elements)) + ";");
  }

  std::string channel() const { return rows_.one_channel ? "first" : "(first + i)"; }

  /// Writes the code that adds the corrections for zero points that differ by pixel to one sum.
  void correct() {
    if (has_sets()) {
      const std::string some = rows_.one_channel ? "windows[" + number(rows_.channels) + " * (" +
                                                       set_of("i") + ") + first]"
                                                 : "some[first + i]";
      out_.line("sum += (uint32_t)input_zero_point * ((uint32_t)windows[" + channel() +
                "] - (uint32_t)" + some + ");");
    }
    if (!has_points()) return;
    const std::int64_t groups = groups_of(stages_.elements);
    const std::string group = divided(channel(), rows_.channels / groups);
    const std::string window = rows_.one_channel
                                   ? "window_sums[(image * " + number(pixels()) + " + i) * " +
                                         number(groups) + " + " + (groups == 1 ? "0" : group) + "]"
                                   : "window[" + (groups == 1 ? "0" : group) + "]";
    out_.line("sum -= (uint32_t)points[" + channel() + "] * (uint32_t)" + window + ";");
  }

  void finish_element() {
    const std::string sums = in_place_ ? "output[at + i]" : "sums[at + i]";
    if (stages_.types.sums == ElementType::s32) {
      const bool corrects = stages_.differs_by_pixel() || in_place_;
      out_.line(std::string(corrects ? "" : "const ") + "uint32_t sum = (uint32_t)" + sums + ";");
      if (stages_.differs_by_pixel()) correct();
      if (in_place_) return finish_sum();
      out_.line("float value = (float)(int32_t)sum;");
    } else {
      out_.line("float value = " + sums + ";");
    }
    convert();
  }

  /// Writes the code that adds the residual to a sum, clamps the result and stores it. An s32
  /// output needs no conversion, because sums have its type and accumulate in the output itself.
  void finish_sum() {
    const Epilogue& epilogue = stages_.epilogue;
    if (epilogue.add) out_.line("sum += (uint32_t)residual[at + i];");
    const auto limit = [&](double value, const char* relation) {
      if (std::isinf(value)) return;
      const std::string text =
          "(int32_t)INT64_C(" + std::to_string(nearest<std::int32_t>(value)) + ")";
      out_.line("if ((int32_t)sum " + std::string(relation) + " " + text + ") sum = (uint32_t)" +
                text + ";");
    };
    limit(epilogue.low, "<");
    limit(epilogue.high, ">");
    out_.line("output[at + i] = (int32_t)sum;");
  }

  void convert() {
    if (numbers_.scales != Granularity::none)
      out_.line("value *= scales[" +
                (numbers_.scales == Granularity::channel ? channel() : std::string("0")) + "];");
    if (stages_.epilogue.add) {
      const std::string residual = as_float(output_, "residual[at + i]");
      out_.line("value += " +
                (numbers_.scaled_residual
                     ? "(" + residual + " - (float)residual_zero_point) * residual_scale"
                     : residual) +
                ";");
    }
    // These comparisons keep NaN, which does not occur in sums of integers.
    if (is_integer(output_) || std::isfinite(stages_.epilogue.low))
      out_.line("value = value < low ? low : value;");
    if (is_integer(output_) || std::isfinite(stages_.epilogue.high))
      out_.line("value = value > high ? high : value;");
    if (!is_integer(output_)) {
      out_.line("output[at + i] = " + from_float(output_, "value") + ";");
      return;
    }
    // Adding 1.5 * 2^23 leaves no bits for fractions, so the addition rounds to nearest even.
    out_.line("output[at + i] = (" + c_type(output_) +
              ")((int32_t)(value + 12582912.0f - 12582912.0f)" +
              (numbers_.output_zero_point ? " + output_zero_point);" : ");"));
  }

  CWriter& out_;
  const StagePlan& stages_;
  const Quantisation& numbers_;
  const OutputRows rows_;
  const ElementType output_;
  const bool in_place_;
};

}  // namespace

void emit_finish(CWriter& out, const EmitContext& context) { FinishWriter(out, context).emit(); }

}  // namespace tileplan
