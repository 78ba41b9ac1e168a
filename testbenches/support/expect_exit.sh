#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Passes where a command ends with a status, a number or `failure`, and says what it should.
#   expect_exit.sh STATUS PATTERN COMMAND [argument...]
set -uo pipefail

expected=$1
pattern=$2
shift 2
output=$("$@" 2>&1)
status=$?
echo "$output"
if [[ $expected != "$status" && ! ($expected == failure && $status -ne 0) ]]; then
  echo "it ended with status $status, not $expected"
  exit 1
fi
grep -qE -e "$pattern" <<<"$output" || { echo "it did not say: $pattern"; exit 1; }
