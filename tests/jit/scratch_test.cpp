// SPDX-License-Identifier: Apache-2.0
// This test checks which memory the leases of several pools get.
#include "scratch.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

/// Returns the address of a buffer of `pool`. The buffer is given back at once.
const char* address_in(ScratchPool& pool) { return pool.lease().data(); }

}  // namespace

TEST_CASE("scratch: kernels that run one after another share the memory of the largest") {
  ScratchPool small(1000), large(50'000);
  address_in(small);
  const char* const shared = address_in(large);
  CHECK(address_in(small) == shared);
  CHECK(address_in(large) == shared);
}

TEST_CASE("scratch: a lease gets memory of its own while another lease is in use") {
  ScratchPool pool(1000), other(500);
  const ScratchPool::Lease one = pool.lease(), two = other.lease();
  CHECK(one.data() != two.data());
  CHECK(one.data() != nullptr);
  CHECK(two.data() != nullptr);
}

TEST_CASE("scratch: a pool of no bytes lends no memory") {
  ScratchPool none(0);
  CHECK(none.lease().data() == nullptr);
}
