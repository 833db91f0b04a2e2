// SPDX-License-Identifier: Apache-2.0
// The emitted functions test which elements of a tile exist, so that one function serves all tiles.
#include "emit_winograd.h"

#include <limits>

#include "c_text.h"
#include "straight_line_program.h"
#include "winograd_products.h"

namespace tileplan {
namespace {

/// Writes macros that read and write `count` lanes which are `stride` elements apart, and the macro
/// ROUNDED.
void emit_lane_macros(CWriter& out, const EmitContext& context, const TargetRow& row) {
  out.line("#define READ_TILE(value, at, stride, count) do { \\");
  out.line(
      "    if ((stride) == 1 && (count) == LANES) { (value) = *(const vec *)(at); break; } \\");
  out.line("    float lanes_[LANES] = {0}; \\");
  out.line("    for (int64_t i_ = 0; i_ < (count); ++i_) lanes_[i_] = (at)[i_ * (stride)]; \\");
  out.line("    __builtin_memcpy(&(value), lanes_, sizeof lanes_); } while (0)");
  out.line("#define WRITE_TILE(at, stride, value, count) do { \\");
  out.line("    if ((stride) == 1 && (count) == LANES) { *(vec *)(at) = (value); break; } \\");
  out.line("    float lanes_[LANES]; \\");
  out.line("    __builtin_memcpy(lanes_, &(value), sizeof lanes_); \\");
  out.line(
      "    for (int64_t i_ = 0; i_ < (count); ++i_) (at)[i_ * (stride)] = lanes_[i_]; } "
      "while (0)");
  emit_rounding_macro(out, context, row);
}

void emit_matrix(CWriter& out, const std::string& name, const Matrix<Rational>& matrix) {
  std::string values;
  for (int row = 0; row < matrix.rows; ++row) {
    values += row == 0 ? "{" : ", {";
    for (int column = 0; column < matrix.columns; ++column) {
      if (column > 0) values += ", ";
      values += exact_text(static_cast<double>(matrix.at(row, column)));
    }
    values += "}";
  }
  std::string declared = "static const double " + name;
  declared.append("[").append(number(matrix.rows)).append("][");
  declared.append(number(matrix.columns)).append("] = {").append(values).append("};");
  out.line(declared);
}

/// Writes a function that returns the transformed weight for product `x` of a tile. The taps of the
/// filter begin at `taps`.
void emit_weight_function(CWriter& out, const WinogradTile& tile) {
  const std::string columns = number(tile.width.inputs()), taps = number(tile.width.taps);
  emit_matrix(out, "height_weights", tile.height.weights);
  emit_matrix(out, "width_weights", tile.width.weights);
  out.open("static float transformed(const float *taps, int64_t x)");
  out.line("double sum = 0;");
  out.open("for (int64_t s = 0; s < " + taps + "; ++s)");
  out.line("double middle = 0;");
  out.line("for (int64_t r = 0; r < " + number(tile.height.taps) + "; ++r)");
  out.line("  middle += height_weights[x / " + columns + "][r] * (double)taps[r * " + taps +
           " + s];");
  out.line("sum += middle * width_weights[x % " + columns + "][s];");
  out.close();
  out.line("return (float)sum;");
  out.close();
  out.line("");
}

/// Writes the lines of a straight-line program in C. The name of an input or output is its number
/// between a fixed prefix and a fixed suffix.
struct ProgramText {
  std::string in_before, in_after, out_before, out_after;

  void emit(CWriter& out, const EmitContext& context, const StraightLineProgram& program) const {
    for (int value = 0; value < program.inputs; ++value)
      if (is_used(program, value))
        out.line("const vec v" + number(value) + " = " + in_before + number(value) + in_after +
                 ";");
    for (std::size_t i = 0; i < program.lines.size(); ++i)
      emit_line(out, context, program.lines[i], program.inputs + static_cast<int>(i));
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
      const int value = program.outputs[i];
      const std::string from = value == StraightLineProgram::kZeroValue
                                   ? std::string("(vec){0}")
                                   : std::string(1, 'v').append(number(value));
      out.line(out_before + number(static_cast<std::int64_t>(i)) + out_after + " = " + from + ";");
    }
  }

 private:
  static bool is_used(const StraightLineProgram& program, int value) {
    for (const Line& line : program.lines)
      if (line.a == value || (line.kind != LineKind::multiply && line.b == value)) return true;
    for (const int output : program.outputs)
      if (output == value) return true;
    return false;
  }

  static void emit_line(CWriter& out, const EmitContext& context, const Line& line, int value) {
    const std::string a = std::string(1, 'v').append(number(line.a));
    const std::string b = std::string(1, 'v').append(number(line.b));
    const std::string name = std::string(1, 'v').append(number(value));
    const bool is_plus = line.kind == LineKind::add || line.kind == LineKind::multiply_add;
    const std::string sign = is_plus ? " + " : " - ";
    std::string left = a;
    if (line.kind != LineKind::add && line.kind != LineKind::subtract)
      left = "BROADCAST(" + number_text(context, static_cast<double>(line.constant)) + ") * " + a;
    if (line.kind != LineKind::multiply) {
      out.line("const vec " + name + " = " + left + sign + b + ";");
      return;
    }
    out.line("vec " + name + " = " + left + ";");
    out.line("ROUNDED(" + name + ");");
  }
};

/// Writes one function that transforms a tile of the input or of the output.
class StageText {
 public:
  StageText(CWriter& out, const EmitContext& context, Operand operand, const Epilogue& epilogue)
      : out_(out),
        context_(context),
        convolution_(*context.winograd),
        operand_(operand),
        epilogue_(epilogue),
        layout_(convolution_.layout(operand)),
        rows_(convolution_.rows(operand)),
        columns_(convolution_.columns(operand)) {}

  void emit() {
    out_.line("KERNEL");
    out_.open("static void transform_" + std::string(is_input() ? "input" : "output") +
              "(const float *restrict from, " + (epilogue_.bias ? "const float *bias, " : "") +
              (epilogue_.add ? "const float *residual, " : "") +
              "int64_t group, int64_t tile, int64_t first, int64_t channels, float *restrict to)");
    emit_position();
    out_.open("for (int64_t c = 0; c < channels; c += LANES)");
    out_.line("const int64_t lanes = channels - c < LANES ? channels - c : LANES;");
    emit_tensor_offset();
    is_input() ? emit_input() : emit_output();
    out_.close();
    out_.close();
    out_.line("");
  }

 private:
  bool is_input() const { return operand_ == Operand::input; }
  const WinogradTile& tile() const { return convolution_.tile; }
  int middle_columns() const { return tile().width.inputs(); }
  int middle_rows() const { return is_input() ? tile().height.inputs() : tile().height.outputs; }
  std::string row_stride() const { return number(layout_.axes[kRowDim].stride); }
  std::string column_stride() const { return number(layout_.axes[kColumnDim].stride); }
  /// Returns the distance in elements between neighbouring channels. The channels of a vector never
  /// lie in two blocks, because blocks are whole vectors.
  std::string lane_stride() const { return number(layout_.axes[kChannelDim].stride); }
  std::string plane() const {
    return number(context_.place(operand_).box->axes[kBoxProducts].stride);
  }

  void emit_position() {
    const std::string columns = number(columns_.tiles);
    out_.line("const int64_t image = tile / " + number(rows_.tiles * columns_.tiles) + ";");
    const auto declare = [&](const char* name, const std::string& index,
                             const TileDirection& direction) {
      LinearText start(direction.origin);
      start.add(direction.step, index);
      out_.line(std::string("const int64_t ") + name + " = " + start.text() + ";");
    };
    declare("row", "(tile / " + columns + " % " + number(rows_.tiles) + ")", rows_);
    declare("column", "(tile % " + columns + ")", columns_);
  }

  void emit_tensor_offset() {
    std::vector<LinearText> indices(layout_.axes.size());
    indices[kImageDim].add(1, "image");
    indices[kGroupDim].add(1, "group");
    indices[kChannelDim].add(1, "first");
    indices[kChannelDim].add(1, "c");
    indices[kRowDim].add(1, "row");
    indices[kColumnDim].add(1, "column");
    out_.line("const int64_t at = " + offset_of(layout_, indices) + ";");
  }

  std::string inside(const std::string& row, const std::string& column) const {
    return "INSIDE(row + " + row + ", " + number(rows_.extent) + ") && INSIDE(column + " + column +
           ", " + number(columns_.extent) + ")";
  }

  void open_loop(const std::string& variable, int count) {
    out_.open("for (int64_t " + variable + " = 0; " + variable + " < " + number(count) + "; ++" +
              variable + ")");
  }

  void emit_middle(const StraightLineProgram& height) {
    out_.line("vec middle[" + number(middle_rows()) + "][" + number(middle_columns()) + "];");
    open_loop("j", middle_columns());
    out_.line("vec column_of[" + number(height.inputs) + "];");
    open_loop("i", height.inputs);
    if (is_input()) {
      out_.line("column_of[i] = (vec){0};");
      out_.line("if (" + inside("i", "j") + ") READ_TILE(column_of[i], from + at + i * " +
                row_stride() + " + j * " + column_stride() + ", " + lane_stride() + ", lanes);");
    } else {
      out_.line("column_of[i] = *(const vec *)(from + (i * " + number(middle_columns()) +
                " + j) * " + plane() + " + c);");
    }
    out_.close();
    ProgramText{"column_of[", "]", "middle[", "][j]"}.emit(out_, context_, height);
    out_.close();
  }

  void emit_input() {
    emit_middle(factored_program(tile().height.input));
    open_loop("i", middle_rows());
    const std::string place = "*(vec *)(to + (i * " + number(middle_columns()) + " + ";
    ProgramText{"middle[i][", "]", place, ") * " + plane() + " + c)"}.emit(
        out_, context_, factored_program(tile().width.input));
    out_.close();
  }

  void emit_output() {
    const StraightLineProgram width = factored_program(tile().width.output);
    emit_middle(factored_program(tile().height.output));
    if (epilogue_.bias) declare_bias();
    open_loop("i", middle_rows());
    out_.line("vec result[" + number(tile().width.outputs) + "];");
    ProgramText{"middle[i][", "]", "result[", "]"}.emit(out_, context_, width);
    open_loop("j", tile().width.outputs);
    out_.line("if (!(" + inside("i", "j") + ")) continue;");
    out_.line("const int64_t place = at + i * " + row_stride() + " + j * " + column_stride() + ";");
    emit_result_epilogue();
    out_.line("WRITE_TILE(to + place, " + lane_stride() + ", result[j], lanes);");
    out_.close();
    out_.close();
  }

  void declare_bias() {
    const std::int64_t channels = context_.computation.extent(context_.computation.dim("k"));
    out_.line("vec bias_of;");
    out_.line("READ_TILE(bias_of, bias + group * " + number(channels) + " + first + c, 1, lanes);");
  }

  void emit_addend(const std::string& from, double factor = 1) {
    out_.line("READ_TILE(addend, " + from + " + place, " + lane_stride() + ", lanes);");
    if (factor != 1)
      out_.line("addend *= BROADCAST(" + number_text(context_, factor) + "); ROUNDED(addend);");
    out_.line("result[j] += addend;");
  }

  void emit_result_epilogue() {
    if (epilogue_.alpha != 1)
      out_.line("result[j] *= BROADCAST(" + number_text(context_, epilogue_.alpha) +
                "); ROUNDED(result[j]);");
    if (epilogue_.beta != 0 || epilogue_.add) out_.line("vec addend;");
    if (epilogue_.beta != 0) emit_addend("to", epilogue_.beta);
    if (epilogue_.bias) out_.line("result[j] += bias_of;");
    if (epilogue_.add) emit_addend("residual");
    emit_limits(out_, context_, epilogue_, "result[j]");
  }

  CWriter& out_;
  const EmitContext& context_;
  const WinogradConvolution& convolution_;
  const Operand operand_;
  const Epilogue epilogue_;
  const TensorLayout& layout_;
  const TileDirection rows_, columns_;
};

/// Describes the loops over the groups and tiles of a box that call a transform function.
struct BoxCalls {
  Operand operand = Operand::input;
  const Indices& at;
  const Tile& box;
  /// The call begins with this text. The arguments that all functions have follow.
  std::string call;

  void emit(CWriter& out, const EmitContext& context) const {
    const Computation& products = context.computation;
    const bool is_input = operand == Operand::input;
    const Dim g = products.dim("g"), p = products.dim("p"),
              channel = products.dim(is_input ? "c" : "k");
    const std::string size = number(box[channel]), first = at.names[channel];
    const std::string left = number(products.extent(channel)) + " - " + first;
    out.line("const int64_t channels_of = " + left + " < " + size + " ? " + left + " : " + size +
             ";");
    out.line("for (int64_t g_of = 0; g_of < " + number(box[g]) + "; ++g_of)");
    out.open("  for (int64_t p_of = 0; p_of < " + number(box[p]) + "; ++p_of)");
    out.line(call + at.names[g] + " + g_of, " + at.names[p] + " + p_of, " + first +
             ", channels_of, " +
             (is_input ? "box + " + tile_offset(context, operand) : std::string("output")) + ");");
    out.close();
  }

  /// Returns C text for the offset of a tile in the box.
  static std::string tile_offset(const EmitContext& context, Operand operand) {
    const std::vector<AxisLayout>& axes = context.place(operand).box->axes;
    return "g_of * " + number(axes[kBoxGroups].stride) + " + p_of * " +
           number(axes[kBoxTiles].stride);
  }
};

}  // namespace

void emit_winograd_functions(CWriter& out, const EmitContext& context, const TargetRow& row,
                             const Epilogue& epilogue) {
  emit_lane_macros(out, context, row);
  EmitContext limits = context;
  limits.epilogue = {.low = epilogue.low, .high = epilogue.high, .activation = epilogue.activation};
  emit_epilogue_macros(out, limits);
  out.line("");
  emit_weight_function(out, context.winograd->tile);
  StageText(out, context, Operand::input, {}).emit();
  StageText(out, context, Operand::output, epilogue).emit();
}

std::string transformed_weight_text(const EmitContext& context, const Indices& at) {
  const Computation& products = context.computation;
  const WinogradTile& tile = context.winograd->tile;
  const auto index = [&](const char* name) { return at.names[products.dim(name)]; };
  std::int64_t stride = std::int64_t{tile.height.taps} * tile.width.taps;
  LinearText offset;
  offset.add(stride, index("c"));
  stride *= products.extent(products.dim("c"));
  offset.add(stride, index("k"));
  stride *= products.extent(products.dim("k"));
  offset.add(stride, index("g"));
  return "transformed(weights + " + offset.text() + ", " + index("x") + ")";
}

void emit_input_transforms(CWriter& out, const EmitContext& context, const Indices& at,
                           const Tile& box) {
  out.open("");
  BoxCalls{Operand::input, at, box, "transform_input(input, "}.emit(out, context);
  out.close();
}

void emit_output_transforms(CWriter& out, const EmitContext& context, const Indices& at,
                            const Tile& box, const Epilogue& epilogue) {
  std::string call = "transform_output(sums + ";
  call.append(BoxCalls::tile_offset(context, Operand::output)).append(", ");
  if (epilogue.bias) call += "bias, ";
  if (epilogue.add) call += "residual, ";
  BoxCalls{Operand::output, at, box, call}.emit(out, context);
}

void emit_output_clear(CWriter& out, const WinogradConvolution& convolution) {
  const TensorAccess& tensor = convolution.computation.tensor(Operand::output);
  std::int64_t elements = 1;
  for (const DataDim& data : tensor.data) elements *= data.extent;
  if (elements == convolution.output.elements) return;
  out.line("for (int64_t i = 0; i < " + number(convolution.output.elements) +
           "; ++i) output[i] = 0;  /* the last block has padding */");
}

}  // namespace tileplan
