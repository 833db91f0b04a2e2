// SPDX-License-Identifier: Apache-2.0
// Padding is a matter of range tests: around the loops whose indices cannot leave the array, and
// per pixel where a tile lies across its border.
#include "emit_tile.h"

#include <algorithm>
#include <optional>

#include "emit_epilogue.h"
#include "integers.h"
#include "reduction_runs.h"

namespace tileplan {

namespace {

constexpr std::int64_t kLineBytes = 64;

std::string number(std::int64_t value) { return std::to_string(value); }

std::string plus(std::int64_t value) { return value == 0 ? "" : " + " + number(value); }

/// A padded index of the input over the pixels of a tile.
struct RangeTest {
  const DataDim* data = nullptr;
  std::vector<std::int64_t> pixels;  // relative to the first pixel
  std::int64_t low = 0, high = 0;    // smallest and largest of them

  bool same_for_all() const { return low == high; }
};

class TileEmitter {
 public:
  TileEmitter(CWriter& out, const EmitContext& context, const TileSite& site)
      : out_(out),
        context_(context),
        computation_(context.computation),
        site_(site),
        vectorised_(context.nest.vectorised),
        vectors_(site.base[vectorised_] / context.lanes),
        weights_dim_(weights_dim(context.computation, vectorised_)),
        row_(site.base[weights_dim_]),
        ahead_(ceil_div(context.ahead, point_count(site.loops))),
        loops_(split_innermost(context, site.loops, steps_of_line())) {
    find_pixels();
    find_tests();
  }

  void emit() {
    out_.open("");
    pointers();
    accumulators();
    reduction(0, site_.at);
    finish();
    stores();
    out_.close();
  }

 private:
  void find_pixels();
  void find_tests();
  void pointers();
  void accumulators();
  void resume();
  void reduction(std::size_t loop, Indices at);
  void tested(const Indices& at);
  void rest(std::size_t loop, Indices at, bool per_pixel);
  void step(const Indices& at, bool per_pixel, std::optional<std::int64_t> moves);
  void input_pointers(const Indices& at, const std::string& type);
  std::int64_t input_pointer_count() const {
    return context_.has_vectors(Operand::input) ? vectors_ : 1;
  }
  /// Iterations of the innermost loop that together prefetch at most one line.
  std::int64_t steps_of_line() const {
    return ahead_ == 0 ? 0 : std::max<std::int64_t>(line_elements() / ahead_, 1);
  }
  /// True when the innermost loop prefetches one line before it starts.
  bool prefetches_by_loop() const {
    return ahead_ > 0 && first_inside_ < loops_.size() && loops_.back().count <= steps_of_line();
  }
  void prefetch_ahead(std::int64_t elements);
  void finish();
  void stores();
  std::string inside_all(const RangeTest& test, const Indices& at) const;
  std::string inside_pixel(std::size_t pixel, const Indices& at) const;
  std::string input_offset(const Indices& at, const Tile& shift) const;
  std::string accumulator(std::size_t pixel, std::int64_t vector) const {
    return "acc" + number(static_cast<std::int64_t>(pixel)) + "v" + number(vector);
  }
  std::string target(std::size_t pixel, std::int64_t vector) const {
    return "to" + number(vector) + plus(output_offsets_[pixel]);
  }
  std::int64_t line_elements() const { return kLineBytes / context_.computation.element_bytes(); }
  bool is_partial(Operand operand, std::int64_t vector) const {
    return context_.has_tail(operand) && vector + 1 == vectors_;
  }
  /// From the first element of the tile to the vector of one pixel.
  Tile shift_of(std::size_t pixel, std::int64_t vector) const {
    Tile shift = pixels_[pixel];
    shift[vectorised_] = vector * context_.lanes;
    return shift;
  }
  void load_weights();
  void multiply_pixels(std::size_t pixel);
  void multiply_broadcast(std::size_t pixel);
  void multiply_vectors(std::size_t pixel);
  Tile vector_shift(std::int64_t vector) const {
    Tile shift;
    shift[vectorised_] = vector * context_.lanes;
    return shift;
  }

  CWriter& out_;
  const EmitContext& context_;
  const Computation& computation_;
  const TileSite& site_;
  const Dim vectorised_;
  const std::int64_t vectors_;
  const Dim weights_dim_;
  const std::int64_t row_;           // packed weights of one step
  const std::int64_t ahead_;         // elements that each step has prefetched from `ahead` on
  const std::vector<Repeat> loops_;  // reduction loops of the band
  std::vector<Tile> pixels_;
  std::vector<std::int64_t> input_offsets_, output_offsets_;
  std::vector<RangeTest> tests_;
  std::size_t first_inside_ = 0;  // loops from here inwards move no padded index
};

void TileEmitter::find_pixels() {
  pixels_.push_back({});
  for (int d = 0; d < computation_.dims(); ++d) {
    const std::int64_t size = site_.base[Dim{d}];
    const bool is_summed = computation_.role(Dim{d}) == Role::reduction;
    if (Dim{d} == vectorised_ || is_summed || size == 1) continue;
    std::vector<Tile> next;
    for (const Tile& pixel : pixels_)
      for (std::int64_t i = 0; i < size; ++i) {
        next.push_back(pixel);
        next.back()[Dim{d}] = i;
      }
    pixels_ = std::move(next);
  }
  for (const Tile& pixel : pixels_) {
    input_offsets_.push_back(element_offset(context_.tensor(Operand::input),
                                            context_.box ? *context_.box : context_.input, pixel,
                                            computation_.dims()));
    output_offsets_.push_back(element_offset(context_.tensor(Operand::output), context_.output,
                                             pixel, computation_.dims()));
  }
}

void TileEmitter::find_tests() {
  for (const DataDim& data : context_.tensor(Operand::input).data) {
    if (!data.clipped || is_present(data, vectorised_)) continue;  // boxes have zeros along V
    RangeTest test{.data = &data, .pixels = {}};
    for (const Tile& pixel : pixels_)
      test.pixels.push_back(index_at(data, pixel, computation_.dims()));
    const auto [low, high] = std::minmax_element(test.pixels.begin(), test.pixels.end());
    test.low = *low;
    test.high = *high;
    tests_.push_back(std::move(test));
    for (std::size_t i = 0; i < loops_.size(); ++i)
      for (const Term& term : data.terms)
        if (term.dim == loops_[i].dim) first_inside_ = std::max(first_inside_, i + 1);
  }
}

void TileEmitter::pointers() {
  if (!site_.step.is_constant()) out_.line("const int64_t step = " + site_.step.text() + ";");
  LinearText filter = weights_text(context_, site_.at, site_.all_steps);
  if (!site_.step.is_constant()) filter.add(row_, std::string("step"));
  out_.line("const " + context_.number() + " *filter = packed + " + filter.text() + ";");
  for (std::int64_t v = 0; v < vectors_; ++v) {
    out_.line(context_.number() + " *to" + number(v) + " = output + " +
              offset_text(context_, Operand::output, site_.at, vector_shift(v)) + ";");
  }
  const bool cut = context_.is_ragged() && follows_sum(context_.epilogue);
  if (context_.has_tail(Operand::output) || context_.has_tail(Operand::input) || cut) {
    LinearText last(computation_.extent(vectorised_) - (vectors_ - 1) * context_.lanes);
    last.add(-1, site_.at.names[vectorised_]);
    out_.line("const int64_t left = " + last.text() + ";  /* from the last vector on */");
    out_.line("const int64_t lanes = left < LANES ? left : LANES;");
  }
}

void TileEmitter::accumulators() {
  for (std::size_t p = 0; p < pixels_.size(); ++p) {
    std::string declared = "vec " + accumulator(p, 0) + " = {0}";
    for (std::int64_t v = 1; v < vectors_; ++v) declared += ", " + accumulator(p, v) + " = {0}";
    out_.line(declared + ";");
  }
  if (context_.epilogue.accumulate) return resume();
  if (site_.step.is_constant()) return;
  out_.open("if (step > 0)");
  resume();
  out_.close();
}

/// What the output holds, of earlier steps of a split reduction too.
void TileEmitter::resume() {
  for (std::size_t p = 0; p < pixels_.size(); ++p)
    for (std::int64_t v = 0; v < vectors_; ++v)
      out_.line((is_partial(Operand::output, v) ? "LOAD_LANES(" : "LOAD(") + accumulator(p, v) +
                ", " + target(p, v) + (is_partial(Operand::output, v) ? ", lanes);" : ");"));
}

void TileEmitter::reduction(std::size_t loop, Indices at) {
  if (loop == first_inside_) return tested(at);
  open_loop(out_, computation_, at, loops_[loop]);
  reduction(loop + 1, at);
  out_.close();
}

std::string TileEmitter::inside_all(const RangeTest& test, const Indices& at) const {
  LinearText low = index_text(*test.data, at, {}), high = low;
  low.add(test.low);
  high.add(test.high);
  return low.text() + " >= 0 && " + high.text() + " < " + number(test.data->extent);
}

std::string TileEmitter::inside_pixel(std::size_t pixel, const Indices& at) const {
  std::string all;
  for (const RangeTest& test : tests_) {
    if (test.same_for_all()) continue;
    LinearText index = index_text(*test.data, at, {});
    index.add(test.pixels[pixel]);
    all += (all.empty() ? "" : " && ") + ("INSIDE(" + index.text()) + ", " +
           number(test.data->extent) + ")";
  }
  return all;
}

/// The loops inside which no index leaves or enters the array: skipped where all pixels are
/// outside in some dim, without tests where all are inside, pixel by pixel otherwise.
void TileEmitter::tested(const Indices& at) {
  std::string some, all;
  for (const RangeTest& test : tests_) {
    std::string& tests = test.same_for_all() ? some : all;
    tests += (tests.empty() ? "" : " && ") + inside_all(test, at);
  }
  if (tests_.empty()) return rest(first_inside_, at, false);
  std::int64_t skipped = row_;
  for (std::size_t i = first_inside_; i < loops_.size(); ++i) skipped *= loops_[i].count;
  if (!some.empty()) {
    out_.open("if (!(" + some + "))");
    out_.line("filter += " + number(skipped) + ";  /* padding */");
    out_.reopen(all.empty() ? "else" : "else if (" + all + ")");
  } else {
    out_.open("if (" + all + ")");
  }
  rest(first_inside_, at, false);
  if (!all.empty()) {
    out_.reopen("else");
    rest(first_inside_, at, true);
  }
  out_.close();
}

/// Pointers into the input move along the innermost loop where the distance is always the same.
void TileEmitter::rest(std::size_t loop, Indices at, bool per_pixel) {
  if (loop == loops_.size()) return step(at, per_pixel, std::nullopt);
  const bool innermost = loop + 1 == loops_.size();
  const auto moves = innermost ? input_step(context_, loops_[loop]) : std::nullopt;
  if (moves) input_pointers(at, "const " + context_.number() + " *");
  if (innermost && prefetches_by_loop()) prefetch_ahead(ahead_ * loops_[loop].count);
  open_loop(out_, computation_, at, loops_[loop]);
  if (moves)
    step(at, per_pixel, moves);
  else
    rest(loop + 1, at, per_pixel);
  out_.close();
}

/// Offset of the first pixel, in the packed box when there is one.
std::string TileEmitter::input_offset(const Indices& at, const Tile& shift) const {
  if (!context_.box) return offset_text(context_, Operand::input, at, shift);
  std::vector<LinearText> indices;
  for (const DataDim& data : context_.tensor(Operand::input).data) {
    indices.push_back(index_text(data, at, shift));
    indices.back().add(-1, index_text(data, site_.box_at, {}));
  }
  return offset_of(*context_.box, indices);
}

void TileEmitter::input_pointers(const Indices& at, const std::string& type) {
  for (std::int64_t v = 0; v < input_pointer_count(); ++v)
    out_.line(type + "from" + number(v) + " = " + (context_.box ? "boxed" : "input") + " + " +
              input_offset(at, vector_shift(v)) + ";");
}

/// One step of the reduction. `moves`: from it to the next, of pointers that are there already.
void TileEmitter::step(const Indices& at, bool per_pixel, std::optional<std::int64_t> moves) {
  out_.open("");
  if (!moves) input_pointers(at, "const " + context_.number() + " *const ");
  out_.line("vec pixel;");
  load_weights();
  if (context_.prefetch > 0)
    for (std::int64_t ahead = 0; ahead < row_; ahead += line_elements())
      out_.line("__builtin_prefetch(filter + " + number(context_.prefetch * row_ + ahead) + ");");
  if (!prefetches_by_loop()) prefetch_ahead(ahead_);
  for (std::size_t p = 0; p < pixels_.size(); ++p) {
    if (per_pixel) out_.open("if (" + inside_pixel(p, at) + ")");
    if (context_.has_pixel_vectors())
      multiply_pixels(p);
    else
      context_.has_vectors(Operand::input) ? multiply_vectors(p) : multiply_broadcast(p);
    if (per_pixel) out_.close();
  }
  out_.line("filter += " + number(row_) + ";");
  for (std::int64_t v = 0; moves && v < input_pointer_count(); ++v)
    out_.line("from" + number(v) + " += " + number(*moves) + ";");
  out_.close();
}

void TileEmitter::load_weights() {
  if (context_.has_pixel_vectors()) {
    for (std::int64_t k = 0; k < row_; ++k)
      out_.line("const vec weight" + number(k) + " = BROADCAST(filter[" + number(k) + "]);");
    return;
  }
  const bool keeps = context_.keep_operands && pixels_.size() > 1;
  for (std::int64_t v = 0; v < vectors_; ++v) {
    const std::string name = "weight" + number(v);
    out_.line((keeps ? "vec " : "const vec ") + name + " = WEIGHT(filter" +
              plus(v * context_.lanes) + ");");
    if (keeps) out_.line("KEEP(" + name + ");");
  }
}

/// The vectors of one row of pixels times the weight of one channel. Compilers load the vectors of
/// several channels once.
void TileEmitter::multiply_pixels(std::size_t pixel) {
  const bool first = pixels_[pixel][weights_dim_] == 0;  // of the channels that use these vectors
  for (std::int64_t v = 0; v < vectors_; ++v) {
    if (first && context_.input_ahead > 0)
      out_.line("__builtin_prefetch(from" + number(v) +
                plus(input_offsets_[pixel] + context_.input_ahead) + ", 0, 2);");
    out_.line("INPUT(pixel, from" + number(v) + plus(input_offsets_[pixel]) +
              (is_partial(Operand::input, v) ? ", lanes);" : ", LANES);"));
    out_.line(accumulator(pixel, v) + " += pixel * weight" + number(pixels_[pixel][weights_dim_]) +
              ";");
  }
}

void TileEmitter::multiply_broadcast(std::size_t pixel) {
  out_.line("pixel = BROADCAST(from0[" + number(input_offsets_[pixel]) + "]);");
  if (context_.keep_operands && vectors_ > 1) out_.line("KEEP(pixel);");
  for (std::int64_t v = 0; v < vectors_; ++v)
    out_.line(accumulator(pixel, v) + " += pixel * weight" + number(v) + ";");
}

void TileEmitter::multiply_vectors(std::size_t pixel) {
  for (std::int64_t v = 0; v < vectors_; ++v) {
    const bool partial = is_partial(Operand::input, v);
    out_.line("INPUT(pixel, from" + number(v) + plus(input_offsets_[pixel]) +
              (partial ? ", lanes);" : ", LANES);"));
    out_.line(accumulator(pixel, v) + " += pixel * weight" + number(v) + ";");
  }
}

/// The epilogue of sums that are complete.
void TileEmitter::finish() {
  if (!follows_sum(context_.epilogue)) return;
  const bool split = !site_.step.is_constant();
  if (split) out_.open("if (step == " + number(site_.all_steps - point_count(site_.loops)) + ")");
  for (std::size_t p = 0; p < pixels_.size(); ++p)
    for (std::int64_t v = 0; v < vectors_; ++v)
      emit_epilogue(out_, context_,
                    {.sum = accumulator(p, v),
                     .output = target(p, v),
                     .bias = "bias + " + bias_offset_text(context_, site_.at, shift_of(p, v)),
                     .cut = context_.is_ragged() && v + 1 == vectors_});
  if (split) out_.close();
}

void TileEmitter::prefetch_ahead(std::int64_t elements) {
  if (elements == 0) return;
  for (std::int64_t line = 0; line < elements; line += line_elements())
    out_.line("__builtin_prefetch(ahead" + plus(line) + ", 0, 2);");
  out_.line("ahead += " + number(elements) + ";");
}

void TileEmitter::stores() {
  for (std::size_t p = 0; p < pixels_.size(); ++p)
    for (std::int64_t v = 0; v < vectors_; ++v)
      out_.line((is_partial(Operand::output, v) ? "STORE_LANES(" : "STORE(") + target(p, v) + ", " +
                accumulator(p, v) + (is_partial(Operand::output, v) ? ", lanes);" : ");"));
}

}  // namespace

void emit_tile(CWriter& out, const EmitContext& context, const TileSite& site) {
  TileEmitter(out, context, site).emit();
}

}  // namespace tileplan
