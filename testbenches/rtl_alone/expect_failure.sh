#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Passes where a command fails and says what it should.
#   expect_failure.sh PATTERN COMMAND [argument...]
set -uo pipefail

pattern=$1
shift
output=$("$@" 2>&1)
status=$?
echo "$output"
if [[ $status -eq 0 ]]; then
  echo "it ended with status 0"
  exit 1
fi
grep -qE "$pattern" <<<"$output" || { echo "it did not say: $pattern"; exit 1; }
