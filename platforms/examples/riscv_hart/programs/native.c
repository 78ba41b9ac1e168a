/* SPDX-License-Identifier: Apache-2.0 */
/* Runs atomics.c on as many threads as it is told, and prints its sums. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "atomics.h"

struct shared shared;

static unsigned harts;
static atomic_int failed;

static void* run(void* id) {
  if (program((unsigned)(uintptr_t)id, harts) != 0) failed = 1;
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[most_harts];
  harts = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
  if (harts == 0 || harts > most_harts) {
    fprintf(stderr, "usage: atomics_native HARTS, 1 to %d\n", most_harts);
    return EXIT_FAILURE;
  }
  for (uintptr_t i = 0; i < harts; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  for (unsigned i = 0; i < harts; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; ++i) printf("%" PRIu64 "\n", shared.sums[i]);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
