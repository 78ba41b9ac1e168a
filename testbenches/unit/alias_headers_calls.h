/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of the generated header; compiled as C and as C++. */
#ifndef ALIAS_HEADERS_CALLS_H
#define ALIAS_HEADERS_CALLS_H

#include <tributary/nic/aliases.h>

/* Performs the operation of a bank with a result, which is returned, or without one (0). */
static uint64_t call_bank(const struct tributary_alias_window* window, unsigned bank,
                          volatile uint64_t* word, uint64_t compare, uint64_t operand,
                          int discard) {
  switch (bank) {
#define ALIAS_CALL(NAME, name, arguments)                  \
  case TRIBUTARY_ALIAS_BANK_##NAME:                        \
    if (!discard) return tributary_alias_##name arguments; \
    tributary_alias_##name##_discard arguments;            \
    return 0;
    ALIAS_CALL(FETCH_ADD, fetch_add, (window, word, operand))
    ALIAS_CALL(FETCH_AND, fetch_and, (window, word, operand))
    ALIAS_CALL(FETCH_OR, fetch_or, (window, word, operand))
    ALIAS_CALL(FETCH_XOR, fetch_xor, (window, word, operand))
    ALIAS_CALL(FETCH_MAX, fetch_max, (window, word, operand))
    ALIAS_CALL(FETCH_MIN, fetch_min, (window, word, operand))
    ALIAS_CALL(FETCH_MAX_UNSIGNED, fetch_max_unsigned, (window, word, operand))
    ALIAS_CALL(FETCH_MIN_UNSIGNED, fetch_min_unsigned, (window, word, operand))
    ALIAS_CALL(SWAP, swap, (window, word, operand))
    ALIAS_CALL(TEST_AND_SET, test_and_set, (window, word))
    ALIAS_CALL(COMPARE_AND_SWAP, compare_and_swap, (window, word, compare, operand))
    ALIAS_CALL(FETCH_INCREMENT, fetch_increment, (window, word))
    ALIAS_CALL(FETCH_DECREMENT, fetch_decrement, (window, word))
#undef ALIAS_CALL
    default:
      return ~(uint64_t)0;
  }
}

#endif
