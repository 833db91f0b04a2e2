// SPDX-License-Identifier: Apache-2.0
// This target reads arbitrary bytes as an ONNX model and rewrites it. The onnx and protobuf
// libraries are not instrumented.
#include "fuzz.h"
#include "memory_file.h"
#include "rewrite.h"
#include "tileplan/graph.h"

using namespace tileplan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::expect_error_only(
      data, size, [](const std::string& text) { rewritten(load_onnx(fuzz::path_of(text))); });
}
