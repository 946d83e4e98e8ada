#!/bin/sh
# Runs every case, and fails if one of them does.
failed=0
for case in tests/cases/*.sh; do
  if sh "$case"; then echo "ok    $case"; else echo "FAIL  $case"; failed=1; fi
done
exit "$failed"
