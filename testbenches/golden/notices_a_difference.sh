#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks must notice one wrong digit, and a program that fails.
#
#   notices_a_difference.sh PROGRAM WORK_DIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=$1
work=$2
rm -rf "$work"
mkdir -p "$work"

case=(--case events.fbcopy.pipelined)
check() { python3 "$here/golden.py" check "${case[@]}" "$@" >"$work/said"; }

expect_failure() {
  local words=$1
  shift
  if check "$@" || ! grep -q -- "$words" "$work/said"; then
    echo "golden.py check $* should have failed and said '$words'; it said:"
    cat "$work/said"
    exit 1
  fi
}

check --program "$program"
python3 - "$here/hashes.json" "$work/wrong.json" <<'END'
import json, sys
hashes = json.load(open(sys.argv[1]))
log = hashes["events.fbcopy.pipelined"]["log"]
hashes["events.fbcopy.pipelined"]["log"] = ("0" if log[0] != "0" else "1") + log[1:]
json.dump(hashes, open(sys.argv[2], "w"))
END
expect_failure "events.fbcopy.pipelined, engine loop: .*log: SHA-256" --program "$program" --hashes "$work/wrong.json"
expect_failure "ended with 1" --program "$(type -P false)"
expect_failure "ended with 1" --program "$program" --slow-program "$(type -P false)"

sed 's/17.42671009771987/17.42671009771988/' "$here/steady_latencies.json" >"$work/latencies.json"
if python3 "$here/steady.py" --program "$program" --table "$work/latencies.json" --largest 16 \
  >"$work/said" || ! grep -q "FAIL  aggressive, 16 elements" "$work/said"; then
  echo "steady.py should have noticed another latency; it said:"
  cat "$work/said"
  exit 1
fi
echo "golden.py and steady.py notice differences and failures"
