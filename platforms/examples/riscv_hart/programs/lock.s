# SPDX-License-Identifier: Apache-2.0
# Harts add to a shared doubleword with plain loads and stores, under a lock of LR.D and SC.D. The
# holder writes its number beside the lock and must find it there before it lets go. How often it
# was inside, a hart keeps in its private data.
#
# In: a0 this hart, a1 number of harts. Exit status: 0, or the number of the check that failed.
        .include "shared.inc"
        .globl  _start
_start:
        li      s0, COUNTER
        li      s1, OWNER
        slli    s3, a1, LOG2_ROUNDS       # what the harts add up to
        li      s4, 1
next:
        call    acquire
        sd      a0, (s1)
        ld      t0, (s0)
        addi    t0, t0, 1
        sd      t0, (s0)
        ld      t1, (s1)
        bne     t1, a0, not_alone
        call    release
        call    count_round
        li      t1, ROUNDS
        bne     t0, t1, next

        li      t0, FINISHED
        amoadd.d t1, s4, (t0)
        addi    t1, t1, 1
        bne     t1, a1, success
        ld      t0, (s0)
        bne     t0, s3, wrong_sum
success:
        exit    0
not_alone:
        exit    1
wrong_sum:
        exit    2

# Takes the lock. The lock is a number without a history, so it does not matter that SC.D compares
# its value only (the ABA case): 0 is free, however often it was taken since LR.D.
acquire:
        addi    sp, sp, -16
        sd      ra, (sp)
        li      t0, LOCK
try:
        lr.d    t1, (t0)
        bnez    t1, try
        sc.d    t1, s4, (t0)
        bnez    t1, try
        fence   r, rw
        ld      ra, (sp)
        addi    sp, sp, 16
        ret

release:
        li      t0, LOCK
        fence   rw, w
        sd      zero, (t0)
        ret

# Returns in t0 how often it was called.
count_round:
        la      t1, rounds
        lw      t0, (t1)
        addiw   t0, t0, 1
        sw      t0, (t1)
        ret

        .data
rounds: .word   0
