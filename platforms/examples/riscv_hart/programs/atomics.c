/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and a barrier in C11 atomics: a ticket lock of 4-byte counters, the queue lock of
 * Mellor-Crummey and Scott with pointers, a barrier, and sums that the same program gives on threads
 * of any other machine (native.c). */
#include "atomics.h"

#include <stdbool.h>
#include <stddef.h>

enum { rounds = 8 };

static void take_ticket(void) {
  const unsigned mine = atomic_fetch_add(&shared.next_ticket, 1);
  while (atomic_load(&shared.serving) != mine) {
  }
}

static void give_ticket(void) { atomic_fetch_add(&shared.serving, 1); }

/* J. Mellor-Crummey and M. Scott, Algorithms for Scalable Synchronization on Shared-Memory
 * Multiprocessors, ACM TOCS 9(1), 1991, Figure 5. */
static void acquire(struct waiter* self) {
  atomic_store(&self->next, NULL);
  struct waiter* const before = atomic_exchange(&shared.last, self);
  if (before == NULL) return;
  atomic_store(&self->waits, 1);
  atomic_store(&before->next, self);
  while (atomic_load(&self->waits) != 0) {
  }
}

static void release(struct waiter* self) {
  struct waiter* only = self;
  if (atomic_load(&self->next) == NULL) {
    if (atomic_compare_exchange_strong(&shared.last, &only, NULL)) return;
    while (atomic_load(&self->next) == NULL) {
    }
  }
  atomic_store(&atomic_load(&self->next)->waits, 0);
}

static void meet(unsigned harts) {
  const unsigned phase = atomic_load(&shared.phase);
  if (atomic_fetch_add(&shared.arrived, 1) + 1 == harts) {
    atomic_store(&shared.arrived, 0);
    atomic_fetch_add(&shared.phase, 1);
  } else {
    while (atomic_load(&shared.phase) == phase) {
    }
  }
}

/* Whether everybody has written the round's number before anybody goes on. */
static bool all_wrote(unsigned harts, unsigned round) {
  for (unsigned i = 0; i < harts; ++i) {
    if (shared.written[i] != round) return false;
  }
  return true;
}

int program(unsigned id, unsigned harts) {
  if (harts > most_harts) return 4;
  const unsigned mine = 1U << id;
  const unsigned everybody = 2 * ((1U << (harts - 1)) - 1) + 1;
  for (unsigned round = 1; round <= rounds; ++round) {
    take_ticket();
    shared.sums[0] += atomic_load(&shared.serving); /* a sum that only the holder touches */
    give_ticket();

    acquire(&shared.waiters[id]);
    shared.sums[1] += id + 1;
    release(&shared.waiters[id]);

    shared.written[id] = round;
    meet(harts);
    if (!all_wrote(harts, round)) return 1;
    meet(harts);

    /* An operation on 4 bytes leaves its neighbour alone. */
    atomic_fetch_xor(&shared.bits[0], mine);
    atomic_fetch_or(&shared.bits[1], mine);
    meet(harts);
    if (atomic_load(&shared.bits[1]) != everybody) return 2;
    if (atomic_load(&shared.bits[0]) != (round % 2 != 0 ? everybody : 0)) return 3;
    meet(harts);
    atomic_fetch_and(&shared.bits[1], ~mine);
    atomic_fetch_add(&shared.sums[2], round);
  }
  return 0;
}
