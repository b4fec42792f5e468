#!/bin/sh
# usage: install.sh [COMMAND...]
#
# Installs the Debian packages that Noria is built and tested with, then runs the command in the root of the tree: so
# `scripts/install.sh make test` needs no make to be there. When all packages are there that takes milliseconds.
set -eu
cd "$(dirname "$0")/.."

packages="
  gcc libc6-dev make cmake ninja-build pkg-config ca-certificates git
  llvm-22-dev llvm-22-tools mlir-22-tools clang-22 libclang-rt-22-dev
  libprotobuf-c-dev protobuf-c-compiler protobuf-compiler
  libpcre2-dev libunistring-dev
  libjpeg62-turbo-dev libpng-dev libtiff-dev libwebp-dev libopenjp2-7-dev
  qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross
  gcc-12-multilib libc6-dev-i386
  libcmocka-dev python3-venv python3-dev espeak-ng openmpi-bin libopenmpi-dev"

say() { echo "install: $*" >&2; }

# Ends the script: with the command, if there is one.
run() {
  [ $# = 0 ] || exec "$@"
  exit 0
}

if ! command -v dpkg-query >/dev/null; then
  # Not Debian: whoever runs this brings the tools; say which are missing.
  for tool in cc make cmake ninja pkg-config llvm-config-22 protoc-c python3; do
    command -v "$tool" >/dev/null && continue
    say "$tool not found; on Debian 12 this script would install:" $packages
    exit 1
  done
  run "$@"
fi

missing=""
# shellcheck disable=SC2086
have=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p') || true
for package in $packages; do
  echo "$have" | grep -qx "$package" || missing="$missing $package"
done
[ -n "$missing" ] || run "$@"

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { say "run as root: apt-get install$missing"; exit 1; }
  as_root=sudo
fi

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=5 -o Dpkg::Use-Pty=0 "$@"
}

# Debian brings LLVM 22 to a stable release through its security archive, which a minimal system may not have set up.
add_security_archive() {
  . /etc/os-release
  say "adding the $VERSION_CODENAME-security archive for LLVM 22"
  $as_root tee /etc/apt/sources.list.d/noria-debian-security.sources >/dev/null <<END
Types: deb
URIs: http://deb.debian.org/debian-security
Suites: $VERSION_CODENAME-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
}

has_llvm() { apt-cache show llvm-22-dev >/dev/null 2>&1; }

say "installing$missing"
apt update
if ! has_llvm; then
  case "$(. /etc/os-release && echo "$ID")" in
    debian) add_security_archive && apt update ;;
  esac
  has_llvm || { say "this system's package archives have no LLVM 22 (llvm-22-dev)"; exit 1; }
fi
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
run "$@"
