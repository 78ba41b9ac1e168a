# SPDX-License-Identifier: Apache-2.0
# Harts take numbers from one shared counter with AMOADD.D. Every number must come up once: each
# hart sets the number's bit with AMOOR.D and finds it clear. The last hart reads the counter.
#
# In: a0 this hart, a1 number of harts. Exit status: 0, or the number of the check that failed.
        .include "shared.inc"
        .globl  _start
_start:
        li      s0, COUNTER
        li      s1, SEEN
        li      s2, ROUNDS
        slli    s3, a1, LOG2_ROUNDS       # all numbers that there are
        li      s4, 1
next:
        amoadd.d t0, s4, (s0)
        bgeu    t0, s3, beyond_the_last
        srli    t1, t0, 6                 # its doubleword of 64 bits
        slli    t1, t1, 3
        add     t1, t1, s1
        sll     t2, s4, t0                # its bit: SLL takes the low six bits
        amoor.d t3, t2, (t1)
        and     t3, t3, t2
        bnez    t3, taken_twice
        addi    s2, s2, -1
        bnez    s2, next

        li      t0, FINISHED
        amoadd.d t1, s4, (t0)
        addi    t1, t1, 1
        bne     t1, a1, success
        ld      t0, (s0)
        bne     t0, s3, wrong_sum
success:
        exit    0
beyond_the_last:
        exit    1
taken_twice:
        exit    2
wrong_sum:
        exit    3
