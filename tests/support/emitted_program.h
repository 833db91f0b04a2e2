// SPDX-License-Identifier: Apache-2.0
// This file runs emitted C as a program, on this CPU or an emulated one, and compares its outputs
// with plain loops.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "apply_epilogue.h"
#include "attached_kernel.h"
#include "compare.h"
#include "reference.h"
#include "temporary_folder.h"
#include "tileplan/emit.h"

namespace tileplan::test {

/// Holds the operands of one run. The program reads `zero_points`, `residual_scale` and then
/// `tensors`: weights, their zero points, input, bias, residual, scales and output. Another object
/// owns the tensors. Tensors that the epilogue does not use are empty.
struct ProgramOperands {
  std::vector<ConstElements> tensors;
  std::vector<std::int32_t> zero_points;  ///< Holds the zero points of input, residual and output.
  float residual_scale = 1;
};

/// Returns the arguments for a call of tileplan_run(), in the order of its parameters.
inline std::string run_arguments(const std::string& text, const Epilogue& epilogue) {
  const Quantisation& numbers = epilogue.quantisation;
  std::string arguments = "in, packed, ";
  if (epilogue.bias) arguments += "bias, ";
  if (epilogue.add) arguments += "residual, ";
  if (numbers.scales != Granularity::none) arguments += "scales, ";
  if (numbers.input_zero_point) arguments += "points[0], ";
  if (numbers.scaled_residual) arguments += "residual_scale, points[1], ";
  if (numbers.output_zero_point) arguments += "points[2], ";
  arguments += "out";
  if (text.find("_workspace_bytes") != std::string::npos) arguments += ", workspace";
  return arguments;
}

/// Returns an expression for the bytes of the packed weights that the emitted C `text` takes, or
/// nothing when it takes plain weights. The macro in `text` counts bytes, or numbers as in
/// tileplan_packed_floats.
inline std::optional<std::string> packed_bytes_in(const std::string& text) {
  const std::string macro = "tileplan_packed_";
  const std::size_t begin = text.find("#define " + macro);
  if (begin == std::string::npos) return std::nullopt;
  const std::size_t unit = begin + std::strlen("#define ") + macro.size();
  const std::string units = text.substr(unit, text.find(' ', unit) - unit);
  const std::string type = units == "bytes" ? "char" : units.substr(0, units.size() - 1);
  return macro + units + " * sizeof(" + type + ")";
}

/// Returns C statements that allocate memory for the packed weights, pack the weights and run the
/// kernel. Where `text` takes plain weights, no byte is packed.
inline std::string packing_and_run(const std::string& text, const Epilogue& epilogue) {
  const std::string run = "  tileplan_run(" + run_arguments(text, epilogue) + ");\n";
  const std::optional<std::string> bytes = packed_bytes_in(text);
  if (!bytes) return "  const size_t packed_bytes = 0; void *const packed = weights;\n" + run;
  const std::string weights = epilogue.quantisation.weights_zero_points == Granularity::none
                                  ? "weights"
                                  : "weights, zero_points";
  return "  const size_t packed_bytes = " + *bytes +
         ";\n  void *const packed = place(packed_bytes);\n  tileplan_pack(" + weights +
         ", packed);\n" + run;
}

/// Returns a main function in C that reads the operands from a file, packs the weights, runs the
/// kernel, and writes the packed weights and the output to files. The memory that it allocates
/// stays reachable, so that sanitizers report no leak.
inline std::string program_driver(const std::string& text, const Epilogue& epilogue,
                                  const ProgramOperands& operands) {
  std::string memory;
  const char* const names[] = {"weights", "zero_points", "in", "bias", "residual", "scales", "out"};
  for (std::size_t i = 0; i < operands.tensors.size(); ++i) {
    const ConstElements& tensor = operands.tensors[i];
    const std::size_t bytes = tensor.size() * static_cast<std::size_t>(bytes_of(tensor.type()));
    memory += "  void *const " + std::string(names[i]) + " = place(" + std::to_string(bytes) +
              "); (void)" + names[i] + ";\n" + "  if (fread(" + names[i] + ", 1, " +
              std::to_string(bytes) + ", file) != " + std::to_string(bytes) + ") return 2;\n";
  }
  const std::size_t output = operands.tensors.back().size() *
                             static_cast<std::size_t>(bytes_of(operands.tensors.back().type()));
  return "#include <stdio.h>\n#include <stdlib.h>\n"
         "static void *placed[16];\n"
         "static void *place(size_t bytes) {\n"
         "  static int count = 0;\n"
         "  return placed[count++] = aligned_alloc(64, (bytes + 64) / 64 * 64);\n}\n"
         "int main(int count, char **paths) {\n"
         "  int32_t points[3]; float residual_scale;\n"
         "  FILE *file = count == 4 ? fopen(paths[1], \"rb\") : 0;\n"
         "  if (!file || fread(points, 1, 12, file) != 12 || fread(&residual_scale, 1, 4, file) != "
         "4) return 1;\n" +
         memory +
         "#ifdef tileplan_workspace_bytes\n"
         "  void *const workspace = place(tileplan_workspace_bytes);\n"
         "#endif\n" +
         packing_and_run(text, epilogue) +
         "  FILE *to = fopen(paths[2], \"wb\");\n"
         "  if (fwrite(packed, 1, packed_bytes, to) != packed_bytes || fclose(to)) return 3;\n"
         "  to = fopen(paths[3], \"wb\");\n"
         "  return fwrite(out, 1, " +
         std::to_string(output) + ", to) != " + std::to_string(output) + " || fclose(to);\n}\n";
}

/// Holds the commands that compile C and run it. `emulator` is empty, or a command that ends with a
/// space.
struct ProgramCommands {
  std::string compiler, emulator = {};
};

/// Holds the packed weights and the output that a program wrote, as bytes.
struct ProgramResults {
  std::string packed, output;
};

inline ProgramResults run_program(const TemporaryFolder& folder, const ProgramCommands& commands,
                                  const std::string& text, const Epilogue& epilogue,
                                  const ProgramOperands& operands) {
  std::string bytes(reinterpret_cast<const char*>(operands.zero_points.data()), 12);
  bytes.append(reinterpret_cast<const char*>(&operands.residual_scale), 4);
  for (const ConstElements& tensor : operands.tensors)
    bytes.append(tensor.data(), tensor.size() * static_cast<std::size_t>(bytes_of(tensor.type())));
  const std::string source =
      folder.write("program.c", text + program_driver(text, epilogue, operands));
  const std::string in = folder.write("operands", bytes), program = folder / "program";
  REQUIRE(std::system((commands.compiler + " -std=c11 -O2 -Wall -Wextra -Werror " + source +
                       " -o " + program)
                          .c_str()) == 0);
  REQUIRE(std::system((commands.emulator + program + " " + in + " " + (folder / "packed") + " " +
                       (folder / "output"))
                          .c_str()) == 0);
  return {content_of(folder / "packed"), content_of(folder / "output")};
}

/// Compiles `text`, the emitted C of `schedule`, runs it on `tensors`, and compares all outputs
/// with plain loops. Integers must be equal, and other numbers must agree within the tolerance of
/// compare(). Overwrites the output of `tensors`. Returns the bytes that the program wrote.
inline ProgramResults check_program(const TemporaryFolder& folder, const ProgramCommands& commands,
                                    const std::string& text, const Schedule& schedule,
                                    const Epilogue& epilogue, Tensors& tensors) {
  const QuantisedNumbers& numbers = tensors.numbers(epilogue.quantisation);
  Buffer& output = tensors.output(schedule.out);
  // Outputs are filled with this byte, because a floating-point number of such bytes is NaN.
  constexpr int kNan = 0xff;
  std::memset(output.elements().data(), kNan, output.size_bytes());
  if (epilogue.beta != 0)
    std::memcpy(output.elements().data(), tensors.start(schedule.out).bytes().data(),
                output.size_bytes());
  const ConstElements none;
  const ProgramOperands operands{
      .tensors = {tensors.weights().elements(), numbers.zero_points(),
                  tensors.input(schedule.in).elements(),
                  epilogue.bias ? ConstElements(tensors.bias().elements()) : none,
                  epilogue.add ? ConstElements(tensors.residual(schedule.out).elements()) : none,
                  numbers.requantisation().scales, ConstElements(output.elements())},
      .zero_points = {numbers.input_zero_point, numbers.residual_zero_point,
                      numbers.output_zero_point},
      .residual_scale = numbers.residual_scale};
  ProgramResults results = run_program(folder, commands, text, epilogue, operands);
  REQUIRE(results.output.size() == output.size_bytes());
  std::memcpy(output.elements().data(), results.output.data(), results.output.size());
  const Computation& computation = tensors.computation();
  const TensorLayout layout = layout_of(computation, Operand::output, schedule.out);
  std::vector<double> expected =
      reference(computation, tensors.operands(epilogue.quantisation), layout);
  EpilogueTensors added;
  if (epilogue.beta != 0) added.start = tensors.start(schedule.out).values();
  if (epilogue.bias) added.bias = tensors.bias().values();
  if (epilogue.add) added.residual = tensors.residual(schedule.out).values();
  added.requantisation = numbers.requantisation();
  const double magnitude = apply_epilogue(computation, epilogue, added, layout, expected);
  const Check check = compare(computation, layout, output.values(), expected, magnitude);
  CHECK_MESSAGE(check.passed(), check.got, " instead of ", check.expected, " at ",
                check.worst_index);
  return results;
}

}  // namespace tileplan::test
