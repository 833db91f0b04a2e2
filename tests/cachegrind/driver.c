// SPDX-License-Identifier: Apache-2.0
// This file runs emitted C once with cold caches. INPUT, WEIGHTS, PACKED and OUTPUT are sizes in
// floats.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef INPUT
#error "compile with the flags that cachegrind_case prints"
#endif

// Writing SWEEP bytes evicts all data, because the caches that run.sh simulates by default are
// smaller.
enum { PAGE = 4096, SWEEP = 1 << 20 };

void tileplan_pack(const float *weights, float *packed);
void tileplan_run(const float *input, const float *packed, float *output);

static float *tensor(size_t floats, unsigned seed) {
  float *values = aligned_alloc(PAGE, (floats * sizeof(float) + PAGE - 1) / PAGE * PAGE);
  if (values == NULL) exit(2);
  for (size_t i = 0; i < floats; ++i) values[i] = (float)((i * 2654435761u + seed) % 127) - 63;
  return values;
}

int main(void) {
  float *input = tensor(INPUT, 1), *weights = tensor(WEIGHTS, 2), *output = tensor(OUTPUT, 3);
  float *packed = tensor(PACKED, 0);
  tileplan_pack(weights, packed);
  volatile char *others = calloc(SWEEP, 1);
  for (size_t i = 0; i < SWEEP; i += 64) others[i] = 1;
  tileplan_run(input, packed, output);
  double sum = 0;
  for (size_t i = 0; i < OUTPUT; ++i) sum += output[i];
  printf("%.0f\n", sum);
  return 0;
}
