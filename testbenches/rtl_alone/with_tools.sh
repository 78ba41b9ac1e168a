#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a check of the RTL with the tools of build/venv, or of the PATH; says which is missing.
#   with_tools.sh TOOL... -- COMMAND [argument...]
# A tool is a program, or `python:MODULE`. Where one is missing, prints "skipped: ..." and ends
# with 0, which ctest lists as skipped.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
PATH=${TRIBUTARY_VENV:-$root/build/venv}/bin:$PATH
export PYTHONPATH=$root/tools/rtl
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
  echo "skipped: no ${missing#python:}; ./dev setup installs it"
  exit 0
fi
exec "$@"
