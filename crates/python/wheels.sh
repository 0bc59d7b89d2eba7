#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheels of a release for Linux, with zig as the linker, and the source distribution.
#
#   wheels.sh FOLDER [TARGET...]   builds those of the targets, by default of all, into FOLDER
#
# One wheel of a target serves every Python from 3.11 on. It needs python3 with maturin and ziglang in the environment
# `.venv-wheels`, and Rust's standard library of each target (`rustup target add TARGET`). What cannot be built is said at the end,
# with status 1. No path of this machine is left in a wheel.
set -euo pipefail
folder=$(realpath -m "${1:?a folder is needed}")
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
targets=("$@")
((${#targets[@]})) || targets=({x86_64,aarch64}-unknown-linux-{gnu,musl})
tools=$root/.venv-wheels/bin

# maturin looks for zig as `python-zig` on the path.
export PATH="$tools:$PATH"
# It would name the platform of another build.
unset _PYTHON_HOST_PLATFORM
separator=$'\x1f'
export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo$separator--remap-path-prefix=$root=/narrows"

missing=()
# Of a version of Narrows there is one wheel for each target.
rm -f "$folder"/narrows-*.whl "$folder"/narrows-*.tar.gz
"$tools/python" crates/python/third_party.py python/narrows/THIRD-PARTY.txt narrows-python "${targets[@]}"
for target in "${targets[@]}"; do
    platform=manylinux2014
    [[ $target != *-musl ]] || platform=musllinux_1_2
    if ! compgen -G "$(rustc --print target-libdir --target "$target" 2>/dev/null)/libstd-*" >/dev/null; then
        missing+=("$target: Rust's standard library is missing (rustup target add $target)")
    elif ! maturin build --release --zig --compatibility "$platform" --target "$target" --out "$folder"; then
        missing+=("$target: maturin has failed; its message is above")
    fi
done
maturin sdist --out "$folder"
if ((${#missing[@]})); then
    printf 'not built: %s\n' "${missing[@]}" >&2
    exit 1
fi
