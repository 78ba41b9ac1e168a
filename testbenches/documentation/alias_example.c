/* SPDX-License-Identifier: Apache-2.0 */
#include <tributary/nic/aliases.h>

/* The next of a series of tickets, or -1 where there is no window of aliases at `base`. */
int64_t take_ticket(uintptr_t base, volatile uint64_t* tickets);

int64_t take_ticket(uintptr_t base, volatile uint64_t* tickets) {
  struct tributary_alias_window window;
  if (tributary_alias_discover(&window, base) == 0) return -1;
  return (int64_t)tributary_alias_fetch_add(&window, tickets, 1);
}
