// SPDX-License-Identifier: Apache-2.0
// This test counts the operations of transforms, and derives rates that were not measured.
#include "winograd_transforms.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "cost_machine.h"
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
