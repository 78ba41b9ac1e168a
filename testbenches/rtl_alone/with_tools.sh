#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a check of the RTL with the tools of build/venv, or of the PATH; says which is missing.
#   with_tools.sh [--keep FILE [--also PATH]...] TOOL... -- COMMAND [argument...]
# A tool is a program, or `python:MODULE`. Where one is missing, prints "skipped: ..." and ends
# with 0, which ctest lists as skipped.
# --keep: a check that passed is not run again before something that it reads, or a tool, is
# another; FILE remembers. `./dev test --full` runs all. --also: a file or folder of the repository
# that it reads beside the RTL and the scripts.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=${TRIBUTARY_VENV:-$root/build/venv}/bin:$PATH
export PYTHONPATH=$root/tools/rtl
kept=
also=()
while [[ $1 == --keep || $1 == --also ]]; do
  if [[ $1 == --keep ]]; then kept=$2; else also+=("$2"); fi
  shift 2
done
while [[ $1 != -- ]]; do
  if [[ $1 == python:* ]]; then
    python3 -c "import ${1#python:}" 2>/dev/null || missing=$1
  else
    command -v "$1" >/dev/null || missing=$1
  fi
  shift
done
shift
if [[ -n ${missing:-} ]]; then
  case $missing in
    iverilog | yosys) cure="apt-get install $missing" ;; # only to see what they refuse
    *) cure="./dev setup installs it" ;;
  esac
  echo "skipped: no ${missing#python:}; $cure"
  exit 0
fi
if [[ -z $kept ]]; then exec "$@"; fi

# Everything that a check of the RTL reads, and what it runs with.
digest_of_inputs() {
  (
    cd "$root"
    find rtl tools/rtl testbenches/{rtl_alone,proofs} docs/images docs/models/rtl "${also[@]}" -type f \
      ! -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha256sum
  )
  sha256sum "$root"/build/venv/filled-test "$(command -v verilator)" 2>/dev/null || true
  verilator --version 2>/dev/null || true
  printf '%s\n' "$@"
}
digest=$(digest_of_inputs "$@" | sha256sum)
if [[ -z ${TRIBUTARY_FULL:-} && -f $kept && $(<"$kept") == "$digest" ]]; then
  echo "passed before, and nothing that it reads has changed since: $kept"
  exit 0
fi
rm -f "$kept"
"$@"
echo "$digest" >"$kept"
