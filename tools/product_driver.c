// SPDX-License-Identifier: Apache-2.0
// This program calls the emitted C of a product whose matrices have 4,000,000 elements each. It is
// linked statically to see how large such a program is.
#include <stdlib.h>

#include "k.h"

int main(void) {
  const size_t bytes = 4000000 * sizeof(float);
  float *const a = calloc(1, bytes), *const b = calloc(1, bytes), *const c = calloc(1, bytes);
  float *const packed = aligned_alloc(64, tileplan_packed_floats * sizeof(float));
  if (!a || !b || !c || !packed) return 1;
  tileplan_pack(b, packed);
  tileplan_run(a, packed, c);
  return c[0] != 0;
}
