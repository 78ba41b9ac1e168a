#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a target of rtl/tributary.core, with neither the user's settings nor other cores.
#   run_fusesoc.sh WORK_DIRECTORY TARGET [parameter...]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1/$2
target=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
cd "$work"
touch fusesoc.conf
fusesoc --config fusesoc.conf --cores-root "$root/rtl" run --target="$target" \
  --build-root "$work/build" tributary:rtl:combining "$@"
