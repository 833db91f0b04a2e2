// SPDX-License-Identifier: Apache-2.0
// This file compiles emitted networks to programs that read inputs from files and write outputs to
// files.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "installed.h"
#include "network_tensors.h"
#include "temporary_folder.h"
#include "tileplan/emit.h"
#include "tileplan/network_run.h"

namespace tileplan::test {

/// Returns the part of `text` between the first `before` and the next `after`, or up to the end if
/// no `after` follows. Returns "" when `before` does not occur.
inline std::string between(const std::string& text, const std::string& before,
                           const std::string& after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t from = at + before.size();
  return text.substr(from, text.find(after, from) - from);
}

inline std::string content_of_file(const EmittedNetwork& network, const std::string& name) {
  for (const EmittedFile& each : network.files)
    if (each.name == name) return each.content;
  FAIL("no file " << name);
  return "";
}

/// Returns a main function in C for a network called `net` with these numbers of inputs and
/// outputs. The function reads the weights and the inputs, fills the workspace and the scratch
/// memory of its thread with NaN, runs the network twice and writes the outputs. The program fails
/// when the two runs give different outputs.
inline std::string main_of(const EmittedNetwork& network, std::size_t inputs, std::size_t outputs) {
  std::string arrays, arguments, reads, writes;
  const auto add = [&](const std::string& name, bool is_output) {
    const std::string size = "[net_" + name + "_floats]";
    arrays += "static float " + name + size + (is_output ? ", first_" + name + size : "") + ";\n";
    arguments += name + ", ";
    if (is_output)
      writes += "  if (memcmp(first_" + name + ", " + name + ", sizeof " + name + ")) return 3;\n";
    (is_output ? writes : reads) += "  if (transfer(*++paths, \"" +
                                    std::string(is_output ? "wb" : "rb") + "\", " + name +
                                    ", sizeof " + name + ")) return 2;\n";
  };
  std::string keep;
  for (std::size_t i = 0; i < inputs; ++i)
    add("input" + (inputs == 1 ? "" : std::to_string(i)), false);
  for (std::size_t i = 0; i < outputs; ++i) {
    const std::string name = "output" + (outputs == 1 ? "" : std::to_string(i));
    add(name, true);
    keep += "  memcpy(first_" + name + ", " + name + ", sizeof " + name + ");\n";
  }
  const std::string scratch =
      between(content_of_file(network, "net.c"), "_Thread_local float net_scratch[", "]");
  const std::string run = "  net_run(weights, " + arguments + "workspace);\n";
  return "#include \"net.h\"\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
         "#include <string.h>\n" +
         arrays + (scratch.empty() ? "" : "extern _Thread_local float net_scratch[];\n") + R"(
static int transfer(const char *path, const char *mode, float *values, size_t bytes) {
  FILE *file = fopen(path, mode);
  if (!file) return 1;
  const size_t done = mode[0] == 'r' ? fread(values, 1, bytes, file) : fwrite(values, 1, bytes, file);
  return fclose(file) != 0 || done != bytes;
}
int main(int count, char **paths) {
  void *weights = net_load(*++paths);
  if (!weights) return 4;
  char *workspace = aligned_alloc(64, net_workspace_bytes + 64);
  memset(workspace, 0xff, net_workspace_bytes + 64);
)" + (scratch.empty() ? "" : "  memset(net_scratch, 0xff, " + scratch + " * sizeof(float));\n") +
         reads + run + keep + run + writes +
         "  free(weights);\n  free(workspace);\n  return count > 0 ? 0 : 1;\n}\n";
}

/// Holds the program of a network called `net`. The constructor writes the files of the network and
/// a main function, and requires that `compiler` compiles the C files without warnings.
class EmittedProgram {
 public:
  EmittedProgram(const EmittedNetwork& network, const Graph& graph, const std::string& compiler) {
    for (const EmittedFile& each : network.files) folder_.write(each.name, each.content);
    folder_.write("main.c", main_of(network, graph.inputs.size(), graph.outputs.size()));
    const std::string command = compiler + " -std=c11 -Wall -Wextra -Werror " + (folder_ / "*.c") +
                                " -lm -o " + (folder_ / "program");
    CAPTURE(command);
    REQUIRE(std::system(command.c_str()) == 0);
  }

  /// Runs the compiled program, with the command `runner` in front if it is not empty. Returns the
  /// status of std::system(), and sets the outputs of `tensors` if it is 0.
  int run(NetworkTensors& tensors, const std::string& runner = "") const {
    std::string command = runner + " " + (folder_ / "program") + " " + (folder_ / "net.weights");
    for (std::size_t i = 0; i < tensors.inputs.size(); ++i) {
      const Elements view = view_of(tensors.inputs[i]);
      command += " " + folder_.write("in" + std::to_string(i),
                                     std::string(view.data(), view.size() * sizeof(float)));
    }
    for (std::size_t i = 0; i < tensors.outputs.size(); ++i)
      command += " " + (folder_ / ("out" + std::to_string(i)));
    const int status = std::system(command.c_str());
    for (std::size_t i = 0; status == 0 && i < tensors.outputs.size(); ++i) {
      const std::string bytes = content_of(folder_ / ("out" + std::to_string(i)));
      const Elements view = view_of(tensors.outputs[i]);
      REQUIRE(bytes.size() == view.size() * sizeof(float));
      std::memcpy(view.data(), bytes.data(), bytes.size());
    }
    return status;
  }

  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
};

}  // namespace tileplan::test
