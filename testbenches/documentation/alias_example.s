# SPDX-License-Identifier: Apache-2.0
.include "tributary/nic/aliases.inc"

# Where the platform has put the window: aliases.base, aliases.size, aliases.target.
.equ base, 0x40000000
.equ size, 0x100000
.equ target, 0x80000000

# Adds a1 to the word at a0 and returns its old value in a0.
.globl fetch_add
fetch_add:
    li t0, base
    sd a1, TRIBUTARY_ALIAS_REGISTER_OPERAND(t0)
    fence iorw, iorw
    li t0, base + TRIBUTARY_ALIAS_BANK_FETCH_ADD * size - target
    add a0, a0, t0
    ld a0, 0(a0)
    ret

# Adds a1 to the word at a0 and returns nothing: a store has its operand with it.
.globl add
add:
    li t0, base + TRIBUTARY_ALIAS_BANK_FETCH_ADD * size - target
    add a0, a0, t0
    sd a1, 0(a0)
    ret
