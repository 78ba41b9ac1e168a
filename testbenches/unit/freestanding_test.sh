#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: freestanding_test.sh COMPILER NM INCLUDES SOURCE
# Compiles handlers for a processor without a C++ run time, and looks what they need of others: the
# operations of the node that they run on, and nothing of a run time but copies of memory.
set -euo pipefail
compiler=$1 nm=$2 includes=$3 source=$4
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT
"$compiler" -std=c++17 -O2 -ffreestanding -fno-exceptions -fno-rtti -fno-stack-protector \
  -Wall -Wextra -Werror -I "$includes" -c "$source" -o "$object"
needed=$("$nm" -C -u "$object" | sed 's/^ *U //')
others=$(grep -Ev '^(tributary::testing::bare_node::|mem(cpy|set|move)$)' <<<"$needed" || true)
operations=$(grep -c 'bare_node::' <<<"$needed" || true)
if [[ -n $others || $operations -eq 0 ]]; then
  echo "$source needs beside the $operations operations of its node:"
  echo "$others"
  exit 1
fi
echo "$source: $operations operations of the node, nothing else"
