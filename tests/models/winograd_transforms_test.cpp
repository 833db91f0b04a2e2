// SPDX-License-Identifier: Apache-2.0
// This test checks the number of operations of transforms, and the estimates of rates that were not
// measured.
#include "winograd_transforms.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "cost_machine.h"
#include "straight_line_program.h"
#include "winograd_points.h"

using namespace tileplan;

namespace {

WinogradTile square(int outputs, int taps) {
  const WinogradMatrices along = winograd_of({outputs, taps});
  return {along, along};
}

}  // namespace

TEST_CASE("transforms: F(4,3) takes 12 operations per column and row in, 10 out") {
  const TransformWork in = input_work(square(4, 3)), out = output_work(square(4, 3));
  CHECK(in.arithmetic == 12 * 6 + 12 * 6);
  CHECK(in.stores == 36);
  CHECK(out.arithmetic == 10 * 6 + 10 * 4);
  CHECK(out.loads == 36);
  CHECK(out.stores == 16);
}

TEST_CASE("transforms: the table of operations has the lengths of the programs") {
  const auto lines = [](const Matrix<Rational>& matrix) {
    return factored_program(matrix).lines.size();
  };
  for (const WinogradSize size : winograd_sizes()) {
    CAPTURE(size.outputs);
    CAPTURE(size.taps);
    const WinogradMatrices along = winograd_of(size);
    const auto operations = winograd_operations(size);
    REQUIRE(operations);
    CHECK(operations->input == lines(along.input));
    CHECK(operations->output == lines(along.output));
  }
  CHECK_FALSE(winograd_operations({}));
}

TEST_CASE("transforms: the slowest port decides") {
  const VectorUnit unit{.fma_units = 2, .load_ports = 2, .store_ports = 1};
  CHECK(port_cycles({.arithmetic = 144, .loads = 36, .stores = 36}, unit) == 72);
  CHECK(port_cycles({.arithmetic = 32, .loads = 16, .stores = 40}, unit) == 40);
}

TEST_CASE("transforms: a measured rate is used as it is") {
  Machine host = machine({cache("L1", 49152, 12, 100e9)});
  host.rates.transforms = {{.outputs = {4, 4},
                            .taps = {3, 3},
                            .in_first = 100,
                            .out_first = 50,
                            .in_second = 120,
                            .out_second = 90}};
  CHECK(transform_rate(square(4, 3), host) == host.rates.transforms.front());
}

TEST_CASE("transforms: another tile takes what the similar one takes relative to its operations") {
  Machine host = machine({cache("L1", 49152, 12, 100e9)});
  const TransformRate four = transform_rate(square(4, 3), host);
  const TransformRate two = transform_rate(square(2, 3), host);
  TransformRate slow = four;
  slow.in_first *= 3;
  slow.out_second *= 2;
  host.rates.transforms = {slow};
  CHECK(transform_rate(square(2, 3), host).in_first == close_to(3 * two.in_first));
  CHECK(transform_rate(square(2, 3), host).out_first == close_to(two.out_first));
  CHECK(transform_rate(square(2, 3), host).out_second == close_to(2 * two.out_second));
}

TEST_CASE("transforms: rates of sizes without known points are ignored") {
  Machine host = machine({cache("L1", 49152, 12, 100e9)});
  const TransformRate counted = transform_rate(square(4, 3), host);
  host.rates.transforms = {{.outputs = {8, 8}, .taps = {8, 8}, .in_first = 1e6, .out_first = 1e6}};
  CHECK(transform_rate(square(4, 3), host) == counted);
}

TEST_CASE("transforms: a direction without taps has no operations, and one output is counted") {
  const WinogradMatrices none = winograd_of({}), four = winograd_of({4, 3});
  CHECK(input_work({none, four}).arithmetic == 12);
  CHECK(output_work({none, four}).arithmetic == 10);
  // The table has no F(1,3), whose output adds three products.
  const WinogradMatrices one = winograd_matrices(1, 3, {{.value = 0}, {.value = 1}});
  CHECK(output_work({none, one}).arithmetic == 2);
}
