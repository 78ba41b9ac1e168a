/* SPDX-License-Identifier: Apache-2.0 */
/* The generated header as a C program has it. */
#include "alias_headers_calls.h"

uint64_t call_bank_in_c(const struct tributary_alias_window* window, unsigned bank,
                        volatile uint64_t* word, uint64_t compare, uint64_t operand, int discard);
uint32_t discover_in_c(struct tributary_alias_window* window, uintptr_t base);

uint64_t call_bank_in_c(const struct tributary_alias_window* window, unsigned bank,
                        volatile uint64_t* word, uint64_t compare, uint64_t operand, int discard) {
  return call_bank(window, bank, word, compare, operand, discard);
}

uint32_t discover_in_c(struct tributary_alias_window* window, uintptr_t base) {
  return tributary_alias_discover(window, base);
}
