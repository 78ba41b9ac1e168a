/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a C program on a hart, whose stack is there. */
#include "atomics.h"

_Noreturn void _start(unsigned long id, unsigned long harts) {
  register int status __asm__("a0") = program((unsigned)id, (unsigned)harts);
  __asm__ volatile("ecall" : : "r"(status) : "memory");
  __builtin_unreachable();
}
