#!/bin/sh
# Configures build/PRESET where that is not done yet: configure.sh PRESET. A build folder is full of absolute paths. In
# a checkout that was copied or moved they lead to the old one, whose sources would be built: such a folder is made
# anew.
set -eu
cd "$(dirname "$0")/.."
folder=build/$1

if [ -e "$folder/CMakeCache.txt" ]; then
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
  made=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$folder/CMakeCache.txt")
  if ! [ "$home" -ef . ] || ! [ "$made" -ef "$folder" ]; then
    echo "configure: $folder was made for $home, not for $PWD: making it anew" >&2
    rm -rf "$folder"
  fi
fi
# Later changes are left to ninja, which configures again when a CMake file or a folder's content changes.
[ -e "$folder/build.ninja" ] || exec cmake --preset "$1"
