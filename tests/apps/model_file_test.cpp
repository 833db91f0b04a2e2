// SPDX-License-Identifier: Apache-2.0
// This test gives an ONNX model to each verb that takes one, and to some that do not.
#include <doctest/doctest.h>

#include <fstream>

#include "contains.h"
#include "onnx_model_file.h"
#include "program.h"

using namespace tileplan;
using namespace tileplan::test;

namespace {

/// Writes a model of a convolution, a Relu and a product into `folder`, and returns its path. The
/// batch of the input has `batch` images, or an unknown number if `batch` is 0.
std::string small_model(const TemporaryFolder& folder, std::int64_t batch) {
  OnnxModelFile model("image", {batch, 16, 6, 6});
  model.node("Conv", "conv", {"image", model.weight("w", {32, 16, 1, 1}, 0.5F)});
  model.node("Relu", "relu", {"conv"});
  model.node("Flatten", "rows", {"relu"});
  model.node("MatMul", "product", {"rows", model.weight("u", {1152, 32}, 0.25F)});
  model.output("product", {1, 32});
  return folder.write("small.onnx", model.bytes());
}

}  // namespace

TEST_CASE("bench MODEL.onnx compares each distinct layer alone, and the heading says so") {
  if (built_without_peer()) return;
  const TemporaryFolder folder;
  const std::string model = small_model(folder, 1);
  const Json layers = document_of("bench " + model + " --budget 0.2").at("layers");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].at("problem") == "mb1ic16ih6oc32oh6kh1ph0");
  CHECK(layers[1].at("problem") == "m1n32k1152");
  const Outcome printed = run_program("bench " + model + " --budget 0.2");
  CHECK(printed.status == 0);
  CHECK(contains(printed.out,
                 "\neach layer is measured alone with hot caches, not within a network\n"));
  const Outcome cold = run_program("bench m8n16k8 --regime all-cold --budget 0.2");
  CHECK(contains(cold.out, "alone with all caches cold,"));
}

TEST_CASE("bench gives the open input of a model a shape, as plan does") {
  if (built_without_peer()) return;
  const TemporaryFolder folder;
  const std::string model = small_model(folder, 0);
  check_refused("bench " + model, "say it in numbers with --shape image=1x3x224x224");
  const Json layers =
      document_of("bench " + model + " --shape image=2x16x6x6 --budget 0.2").at("layers");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].at("problem") == "mb2ic16ih6oc32oh6kh1ph0");
  check_refused("bench m8n16k8 --shape image=2x16x6x6", "'m8n16k8' is no model (.onnx)");
}

TEST_CASE("report --peer has the times of both sides for each layer of a model") {
  if (built_without_peer()) return;
  const TemporaryFolder folder;
  const std::string page = folder / "model.json";
  const Outcome outcome =
      run_program("report " + small_model(folder, 1) + " --peer onednn --budget 0.5 -o " + page);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const Json layers = Json::parse(content_of(page)).at("layers");
  REQUIRE(layers.size() == 2);
  for (const Json& layer : layers) {
    CHECK(layer.at("peer").at("ours_s").get<double>() > 0);
    CHECK(layer.at("peer").at("peer_s").get<double>() > 0);
  }
}

TEST_CASE("a model goes through plan, run and emit, and other verbs name those that take it") {
  const TemporaryFolder folder;
  const std::string model = small_model(folder, 1);
  for (const std::string verb : {"plan ", "run --budget 0.2 "}) {
    const Outcome outcome = run_program(verb + model);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 0);
  }
  CHECK(run_program("emit " + model + " --isa scalar -o " + (folder / "c")).status == 0);
  for (const std::string verb : {"explain ", "candidates ", "bound --capacity 100 "})
    check_refused(verb + model, "must be one layer (plan, run, emit, report and bench take models");
}

TEST_CASE("names of files and of nodes print no control characters") {
  const TemporaryFolder folder;
  const std::string text = content_of(small_model(folder, 1));
  const std::string red = folder.write("\x1b[31mred.onnx", text);
  const std::string page = folder / "\x1b[31mpage.json";
  const Outcome outcome = run_program("report '" + red + "' -o '" + page + "'");
  CHECK(outcome.status == 0);
  CHECK(contains(outcome.err, "?[31mpage.json"));
  CHECK_FALSE(contains(outcome.out + outcome.err, "\x1b"));
  const Outcome emitted = run_program("emit '" + red + "' --isa scalar -o '" + page + "c'");
  CHECK(emitted.status == 0);
  CHECK_FALSE(contains(emitted.out + emitted.err, "\x1b"));
  const Outcome refused = run_program("study '\x1b[31mgrowth' --out " + (folder / "out"));
  CHECK(refused.status == 2);
  CHECK_FALSE(contains(refused.err, "\x1b"));
}
