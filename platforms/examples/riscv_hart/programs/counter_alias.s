# SPDX-License-Identifier: Apache-2.0
# The counter of counter.s without an instruction of the A extension: fetch-and-adds and
# fetch-and-ors are loads from the aliases of the doublewords. Any processor that can load and store
# 8 bytes can do this.
#
# In: a0 this hart, a1 number of harts. Exit status: 0, or the number of the check that failed.
        .include "shared.inc"
        .include "tributary/nic/aliases.inc"

# The network's window, as main.cpp configures it.
        .equ    WINDOW,    0x40000000
        .equ    BANK_SIZE, 0x10000
        .equ    OPERAND,   TRIBUTARY_ALIAS_REGISTER_OPERAND
        .equ    INCREMENT, WINDOW + TRIBUTARY_ALIAS_BANK_FETCH_INCREMENT * BANK_SIZE
        .equ    OR,        WINDOW + TRIBUTARY_ALIAS_BANK_FETCH_OR * BANK_SIZE

        .globl  _start
_start:
        li      s0, INCREMENT + (COUNTER - SHARED)
        li      s1, OR + (SEEN - SHARED)
        li      s2, ROUNDS
        slli    s3, a1, LOG2_ROUNDS       # all numbers that there are
        li      s4, 1
        li      s5, WINDOW
next:
        ld      t0, (s0)                  # fetch-and-increment, which needs no operand
        bgeu    t0, s3, beyond_the_last
        srli    t1, t0, 6                 # its doubleword of 64 bits
        slli    t1, t1, 3
        add     t1, t1, s1
        sll     t2, s4, t0                # its bit: SLL takes the low six bits
        sd      t2, OPERAND(s5)
        fence   iorw, iorw                # the operand before the operation, as for a device
        ld      t3, (t1)                  # fetch-and-or
        and     t3, t3, t2
        bnez    t3, taken_twice
        addi    s2, s2, -1
        bnez    s2, next

        li      t0, INCREMENT + (FINISHED - SHARED)
        ld      t1, (t0)
        addi    t1, t1, 1
        bne     t1, a1, success
        li      t0, COUNTER
        ld      t0, (t0)
        bne     t0, s3, wrong_sum
success:
        exit    0
beyond_the_last:
        exit    1
taken_twice:
        exit    2
wrong_sum:
        exit    3
