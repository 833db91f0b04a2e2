// SPDX-License-Identifier: Apache-2.0
// This file writes the code of a register tile. Tests of index ranges skip the padding, or count it
// as zeros. A test encloses whole loops if possible, and single pixels when a tile crosses the
// border.
#include <algorithm>
#include <optional>

#include "emit_parts.h"
#include "emit_tile_shape.h"
#include "integers.h"
#include "scaled_sums.h"

namespace tileplan {
namespace {

constexpr std::int64_t kLineBytes = 64;

std::string plus(std::int64_t value) { return value == 0 ? "" : " + " + number(value); }

class TileEmitter {
 public:
  TileEmitter(CWriter& out, const EmitContext& context, const TileSite& site)
      : out_(out),
        context_(context),
        site_(site),
        vectorised_(context.program.vectorised),
        tile_(shape_of(context, site.base)),
        next_(context.program.next_tile_prefetch),
        prefetched_per_step_(next_ ? ceil_div(next_->call, point_count(context.program.call_loops))
                                   : 0),
        loops_(split_innermost(context, context.program.call_loops, steps_of_line())),
        padding_(padding_tests(context, tile_, loops_)) {}

  void emit() {
    out_.open("");
    declare_pointers();
    declare_accumulators();
    emit_reduction(0, site_.at);
    for_each_sum([&](std::size_t p, std::int64_t v) {
      const bool cut = is_partial(Operand::output, v);
      emit_scaled_sum(out_, context_, {accumulator(p, v), target(p, v), "", cut},
                      !site_.step.is_constant());
    });
    apply_epilogue();
    for_each_sum([&](std::size_t p, std::int64_t v) {
      out_.line(macro_call("STORE", target(p, v) + ", " + accumulator(p, v),
                           is_partial(Operand::output, v)));
    });
    out_.close();
  }

 private:
  void declare_pointers() {
    if (uses_step()) out_.line("const int64_t step = " + site_.step.text() + ";");
    if (!context_.has_weights_in_place()) declare_packed_weights();
    for (std::int64_t v = 0; v < tile_.vectors; ++v)
      out_.line(context_.number() + " *to" + number(v) + " = " + output_address(v) + ";");
    const bool cut = context_.is_ragged() && follows_sum(context_.epilogue);
    if (context_.has_tail(Operand::output) || context_.has_tail(Operand::input) ||
        context_.has_weights_tail() || cut) {
      LinearText last(context_.computation.extent(vectorised_) -
                      (tile_.vectors - 1) * context_.lanes);
      last.add(-1, site_.at.names[vectorised_]);
      out_.line("const int64_t left = " + last.text() + ";  /* from the last vector on */");
      out_.line("const int64_t lanes = left < LANES ? left : LANES;");
    }
  }

  /// Returns true when as many rows of packed weights as reduction steps precede the tile.
  bool has_rows_of_steps() const {
    return !context_.has_weights_in_place() && site_.rows.text() == site_.step.text();
  }

  /// Returns true when the code of the tile reads how many reduction steps precede it.
  bool uses_step() const {
    return !site_.step.is_constant() &&
           (has_rows_of_steps() || context_.epilogue.beta == 0 ||
            scales_output(context_.epilogue) || follows_sum(context_.epilogue));
  }

  void declare_packed_weights() {
    LinearText filter = site_.weights;
    if (!has_rows_of_steps())
      filter.add(tile_.row, site_.rows);
    else if (!site_.step.is_constant())
      filter.add(tile_.row, std::string("step"));
    out_.line("const " + context_.number(Operand::weights) + " *filter = packed + " +
              filter.text() + ";");
  }

  void declare_accumulators() {
    for (std::size_t p = 0; p < tile_.pixels.size(); ++p) {
      std::string declared = "vec " + accumulator(p, 0) + " = {0}";
      for (std::int64_t v = 1; v < tile_.vectors; ++v)
        declared += ", " + accumulator(p, v) + " = {0}";
      out_.line(declared + ";");
    }
    if (scales_sums(context_.epilogue)) return;
    if (context_.epilogue.beta != 0) return load_accumulators();
    if (site_.step.is_constant()) return;
    out_.open("if (step > 0)");
    load_accumulators();
    out_.close();
  }

  /// Loads the previous sums from the output: partial sums of a split reduction or, with beta = 1,
  /// the output before the run.
  void load_accumulators() {
    for_each_sum([&](std::size_t p, std::int64_t v) {
      out_.line(macro_call("LOAD", accumulator(p, v) + ", " + target(p, v),
                           is_partial(Operand::output, v)));
    });
  }

  void emit_reduction(std::size_t loop, Indices at) {
    if (loop == padding_.first_inside) return emit_tested(at);
    open_loop(out_, context_.computation, at, loops_[loop]);
    emit_reduction(loop + 1, at);
    out_.close();
  }

  /// Writes the inner loops, in which no pixel moves into or out of padding. The emitted code skips
  /// these loops if a test fails for which PaddingTests::skips() is true, runs them without tests
  /// if no pixel is in padding, and tests each pixel otherwise.
  void emit_tested(const Indices& at) {
    std::string some, all;
    for (const RangeTest& test : padding_.tests)
      add_condition(padding_.skips(test) ? some : all, inside_all_text(test, at));
    if (padding_.tests.empty()) return emit_loops(padding_.first_inside, at, false);
    std::int64_t skipped = tile_.row;
    for (std::size_t i = padding_.first_inside; i < loops_.size(); ++i) skipped *= loops_[i].count;
    if (!some.empty()) {
      out_.open("if (!(" + some + "))");
      if (!context_.has_weights_in_place())
        out_.line("filter += " + number(skipped) + ";  /* padding */");
      out_.reopen(all.empty() ? "else" : "else if (" + all + ")");
    } else {
      out_.open("if (" + all + ")");
    }
    emit_loops(padding_.first_inside, at, false);
    if (!all.empty()) {
      out_.reopen("else");
      emit_loops(padding_.first_inside, at, true);
    }
    out_.close();
  }

  /// Writes the loops from `loop` inwards, with tests of single pixels if `per_pixel` is true. The
  /// innermost loop advances input pointers if possible.
  void emit_loops(std::size_t loop, Indices at, bool per_pixel) {
    if (loop == loops_.size()) return emit_step(at, per_pixel, std::nullopt);
    const bool innermost = loop + 1 == loops_.size();
    const auto moves = innermost ? input_step(context_, loops_[loop]) : std::nullopt;
    if (moves) declare_inputs(at, "*");
    if (innermost && prefetches_by_loop())
      prefetch_next_tile(prefetched_per_step_ * loops_[loop].count);
    open_loop(out_, context_.computation, at, loops_[loop]);
    if (moves)
      emit_step(at, per_pixel, moves);
    else
      emit_loops(loop + 1, at, per_pixel);
    out_.close();
  }

  /// Writes one reduction step. With `per_pixel`, a test skips each pixel in padding or counts it
  /// as zero. If `moves` has a value, the input pointers then advance by this distance.
  void emit_step(const Indices& at, bool per_pixel, std::optional<std::int64_t> moves) {
    out_.open("");
    if (!moves) declare_inputs(at, "*const ");
    out_.line(context_.factors() + " pixel;");
    load_weights();
    if (context_.prefetch > 0) prefetch_weights();
    if (!prefetches_by_loop()) prefetch_next_tile(prefetched_per_step_);
    for (std::size_t p = 0; p < tile_.pixels.size(); ++p) {
      const std::string inside = per_pixel ? inside_pixel_text(padding_, p, at) : "";
      if (inside.empty() || padding_.counts_padding) {
        multiply(p, inside);
        continue;
      }
      out_.open("if (" + inside + ")");
      multiply(p, "");
      out_.close();
    }
    if (!context_.has_weights_in_place())
      out_.line("filter += " + number(tile_.row) + ";");
    else if (moves)
      out_.line("filter += " + number(row_step()) + ";");
    for (std::int64_t v = 0; moves && v < input_pointer_count(); ++v)
      out_.line("from" + number(v) + " += " + number(*moves) + ";");
    out_.close();
  }

  /// Returns the distance in elements between weights of consecutive steps of the innermost loop.
  std::int64_t row_step() const {
    if (!context_.has_weights_in_place()) return tile_.row;
    return loops_.empty() ? 0 : context_.weights_step(loops_.back());
  }
  std::int64_t channel_step() const {
    const Dim channel = context_.program.weights.blocked;
    return context_.has_weights_in_place() ? context_.weights_step({channel, 1, 1}) : 1;
  }

  void prefetch_weights() {
    const std::int64_t line =
        channel_step() == 1 ? line_elements(Operand::weights) : std::int64_t{1};
    for (std::int64_t ahead = 0; ahead < tile_.row; ahead += line)
      out_.line("__builtin_prefetch(filter + " +
                number(context_.prefetch * row_step() + ahead * channel_step()) + ");");
  }

  void declare_inputs(const Indices& at, const char* qualifier) {
    if (context_.has_weights_in_place())
      out_.line("const " + context_.number(Operand::weights) + " " + qualifier +
                "filter = weights + " + offset_text(context_, Operand::weights, at, {}) + ";");
    const char* const memory = context_.place(Operand::input).box ? "boxed" : "input";
    for (std::int64_t v = 0; v < input_pointer_count(); ++v)
      out_.line("const " + context_.number(Operand::input) + " " + qualifier + "from" + number(v) +
                " = " + memory + " + " + input_offset(at, vector_shift(v)) + ";");
  }

  std::int64_t input_pointer_count() const {
    return context_.has_vectors(Operand::input) ? tile_.vectors : 1;
  }
  std::int64_t line_elements(Operand operand) const {
    return kLineBytes / context_.tensor(operand).element_bytes();
  }
  /// Returns the number of elements per cache line of the prefetched tensor.
  std::int64_t next_tile_line() const {
    return line_elements(next_ ? next_->operand : Operand::weights);
  }
  /// Returns how many iterations of the innermost loop together prefetch at most one cache line,
  /// but at least 1. The result is 0 if they prefetch nothing.
  std::int64_t steps_of_line() const {
    if (prefetched_per_step_ == 0) return 0;
    return std::max<std::int64_t>(next_tile_line() / prefetched_per_step_, 1);
  }
  /// Returns true when one prefetch before the innermost loop covers all of its iterations.
  bool prefetches_by_loop() const {
    return prefetched_per_step_ > 0 && padding_.first_inside < loops_.size() &&
           loops_.back().count <= steps_of_line();
  }

  void prefetch_next_tile(std::int64_t elements) {
    if (elements == 0) return;
    for (std::int64_t line = 0; line < elements; line += next_tile_line())
      out_.line("__builtin_prefetch(ahead" + plus(line) + ", 0, 2);");
    out_.line("ahead += " + number(elements) + ";");
  }

  /// Writes the epilogue after the scaling. In a split reduction, only the last part of the steps
  /// applies it.
  void apply_epilogue() {
    if (!follows_sum(context_.epilogue)) return;
    const bool split = !site_.step.is_constant();
    if (split)
      out_.open("if (step == " + number(context_.program.weights.steps() - point_count(loops_)) +
                ")");
    const TensorAccess& output = context_.tensor(Operand::output);
    const TensorLayout bias = bias_layout(context_.computation, context_.corrects_channels());
    for_each_sum([&](std::size_t p, std::int64_t v) {
      const Tile shift = vector_shift(v, tile_.pixels[p]);
      emit_epilogue(out_, context_,
                    {.sum = accumulator(p, v),
                     .output = target(p, v),
                     .bias = "bias + " + offset_of(bias, index_texts(output, site_.at, shift)),
                     .cut = context_.is_ragged() && v + 1 == tile_.vectors});
    });
    if (split) out_.close();
  }

  template <class Body>
  void for_each_sum(const Body& body) const {
    for (std::size_t p = 0; p < tile_.pixels.size(); ++p)
      for (std::int64_t v = 0; v < tile_.vectors; ++v) body(p, v);
  }

  /// Returns the offset of the first pixel of the tile at `at`, moved by `shift`, in the packed
  /// box, or in the input when there is no box.
  std::string input_offset(const Indices& at, const Tile& shift) const {
    if (!context_.place(Operand::input).box)
      return offset_text(context_, Operand::input, at, shift);
    return box_offset(Operand::input, at, site_.box_at, shift);
  }

  std::string output_address(std::int64_t vector) const {
    const Tile shift = vector_shift(vector);
    if (!context_.place(Operand::output).box)
      return "output + " + offset_text(context_, Operand::output, site_.at, shift);
    return "sums + " + box_offset(Operand::output, site_.at, site_.sums_at, shift);
  }

  /// Returns the offset of the element at `at` plus `shift` in a box that begins at `box_at`.
  std::string box_offset(Operand operand, const Indices& at, const Indices& box_at,
                         const Tile& shift) const {
    const TensorAccess& tensor = context_.tensor(operand);
    std::vector<LinearText> indices = index_texts(tensor, at, shift);
    for (std::size_t a = 0; a < indices.size(); ++a)
      indices[a].add(-1, index_text(tensor.data[a], box_at, {}));
    return offset_of(*context_.place(operand).box, indices);
  }

  std::string accumulator(std::size_t pixel, std::int64_t vector) const {
    return "acc" + number(static_cast<std::int64_t>(pixel)) + "v" + number(vector);
  }
  std::string target(std::size_t pixel, std::int64_t vector) const {
    return "to" + number(vector) + plus(tile_.output_offsets[pixel]);
  }
  bool is_partial(Operand operand, std::int64_t vector) const {
    return context_.has_tail(operand) && vector + 1 == tile_.vectors;
  }
  /// Returns the channel of `pixel` relative to the tile. It is 0 unless vectors hold pixels.
  std::int64_t channel_of(std::size_t pixel) const {
    return tile_.pixels[pixel][context_.program.weights.blocked];
  }

  void load_weights() {
    if (context_.has_pixel_vectors()) {
      for (std::int64_t k = 0; k < tile_.row; ++k)
        out_.line("const " + context_.factors() + " weight" + number(k) + " = " +
                  context_.broadcast("filter[" + number(k * channel_step()) + "]") + ";");
      return;
    }
    for (std::int64_t v = 0; v < tile_.vectors; ++v) load_weights(v);
  }
  void load_weights(std::int64_t vector) {
    const std::string name = "weight" + number(vector);
    const std::string from = "filter" + plus(vector * context_.lanes);
    if (context_.has_weights_tail() && vector + 1 == tile_.vectors) {
      out_.line("vec " + name + "; WEIGHT_LANES(" + name + ", " + from + ", lanes);");
      return;
    }
    const bool keeps = context_.keep_operands && tile_.pixels.size() > 1;
    out_.line((keeps ? "" : "const ") + context_.factors() + " " + name + " = WEIGHT(" + from +
              ");");
    if (keeps) out_.line("KEEP(" + name + ");");
  }

  /// Writes the multiply-adds of one pixel. A vector of pixels is loaded again for each channel,
  /// but compilers merge the loads. If `inside` is not empty, it is a C condition, and the pixel
  /// counts as zero where it is false.
  void multiply(std::size_t pixel, const std::string& inside) {
    const bool loads = context_.has_vectors(Operand::input);
    const std::int64_t from = tile_.input_offsets[pixel], channel = channel_of(pixel);
    if (!loads) broadcast_pixel(from, inside);
    for (std::int64_t v = 0; v < tile_.vectors; ++v) {
      if (channel == 0 && context_.program.prefetch_distance > 0)
        out_.line("__builtin_prefetch(from" + number(v) +
                  plus(from + context_.program.prefetch_distance) + ", 0, 2);");
      if (loads) load_pixels(from, v, inside);
      out_.line(
          context_.add_products(accumulator(pixel, v), "pixel",
                                "weight" + number(context_.has_pixel_vectors() ? channel : v)));
    }
  }

  void broadcast_pixel(std::int64_t from, const std::string& inside) {
    std::string element = "from0[" + number(from) + "]";
    if (!inside.empty()) element = in_parentheses(inside + " ? " + element + " : 0");
    out_.line("pixel = " + context_.broadcast(element + flip()) + ";");
    if (context_.keep_operands && tile_.vectors > 1) out_.line("KEEP(pixel);");
  }
  void load_pixels(std::int64_t from, std::int64_t vector, const std::string& inside) {
    if (!inside.empty()) {
      out_.line("pixel = (strips){0};");
      out_.line("if (" + inside + ")");
    }
    out_.line("INPUT(pixel, from" + number(vector) + plus(from) +
              (is_partial(Operand::input, vector) ? ", lanes);" : ", LANES);"));
    if (context_.flips_input()) out_.line("pixel = pixel" + flip() + ";");
  }
  /// Returns C text that inverts the highest bit of each byte of a strip, or "" if the kernel does
  /// not invert bits.
  std::string flip() const { return context_.flips_input() ? " ^ 0x80808080u" : ""; }

  /// Returns the position of the first lane of vector `vector` of the pixel at `from`.
  Tile vector_shift(std::int64_t vector, Tile from = {}) const {
    from[vectorised_] = vector * context_.lanes;
    return from;
  }

  CWriter& out_;
  const EmitContext& context_;
  const TileSite& site_;
  const Dim vectorised_;
  const EmittedTile tile_;
  const std::optional<NextTilePrefetch>& next_;
  const std::int64_t prefetched_per_step_;
  const std::vector<Repeat> loops_;  // The loops run over reduction dimensions, outermost first.
  const PaddingTests padding_;
};

}  // namespace

void emit_tile(CWriter& out, const EmitContext& context, const TileSite& site) {
  TileEmitter(out, context, site).emit();
}

}  // namespace tileplan
