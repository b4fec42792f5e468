#!/bin/sh
# Breaks lines over 120 columns in C sources with clang-format, and leaves all other lines as they were written.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.c' '*.h' | while read -r file; do
  lines=$(awk 'length($0) > 120 { printf " --lines=%d:%d", NR, NR }' "$file")
  # shellcheck disable=SC2086
  [ -z "$lines" ] || { echo "$file"; clang-format -i $lines "$file"; }
done
