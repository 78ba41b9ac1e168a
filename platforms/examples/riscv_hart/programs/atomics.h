/* SPDX-License-Identifier: Apache-2.0 */
/* What the harts of atomics.c share, all zero at first. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

enum { most_harts = 32 /* a bit each */ };

struct waiter {
  _Atomic(struct waiter*) next;
  atomic_uint waits;
};

struct shared {
  _Atomic(uint64_t) sums[3]; /* results, first so that they are found */
  atomic_uint next_ticket;
  atomic_uint serving;
  atomic_uint arrived;
  atomic_uint phase;
  atomic_uint bits[2];
  _Atomic(struct waiter*) last;
  struct waiter waiters[most_harts];
  volatile unsigned written[most_harts];
};

extern struct shared shared; /* in memory that all harts reach: local.ld */

/* What hart `id` does; 0, or the number of the check that failed. */
int program(unsigned id, unsigned harts);
