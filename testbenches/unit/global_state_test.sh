#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: global_state_test.sh NM LIBRARY...
# Fails if a static library keeps mutable state outside its objects: a symbol of ours in .data or
# .bss. SystemC's headers put some of their own into every file (namespaces tlm, sc_core, std), and cereal's headers a constant.
set -euo pipefail
nm=$1
shift
for library in "$@"; do
  symbols=$("$nm" -C -f sysv --defined-only "$library")
  # name | value | class | type | size | line | section
  own=$(awk -F'|' '$7 ~ /\.(data|bss|tdata|tbss)/ && $7 !~ /\.data\.rel/ {print $1}' <<<"$symbols" |
    sed -E 's/^guard variable for //; s/ +$//' |
    grep -Ev '^(tlm::|sc_core::|sc_dt::|std::|cereal::)' || true)
  if [[ -n $own ]]; then
    echo "$library keeps mutable state outside its objects:"
    echo "$own"
    exit 1
  fi
  echo "$library: no state of our own among $(wc -l <<<"$symbols") symbols"
done
