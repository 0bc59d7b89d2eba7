#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the simulator as a WebAssembly module for `narrows playground`.
#
#   build.sh FILE       builds it and copies it to FILE
#   build.sh --missing  builds nothing; prints what is missing, with status 1, where it cannot be built
#
# It needs Rust's standard library for WebAssembly: `rustup target add wasm32-unknown-unknown`; or its sources and a
# linker, as in Debian's packages rustc-web, cargo-web, rust-web-src and lld.
set -euo pipefail
target=wasm32-unknown-unknown
options=(build --locked --profile page --package narrows-playground --target "$target")

# The directory of a cargo and a rustc that can build it: the ones that are found first, or Debian's behind them.
candidates=("$(dirname "$(command -v cargo || echo /usr/bin/cargo)")" /usr/bin)

has_library() { # DIRECTORY
    compgen -G "$("$1/rustc" --print target-libdir --target "$target" 2>/dev/null)/libstd-*" >/dev/null
}

has_sources() { # DIRECTORY
    command -v wasm-ld >/dev/null && [[ -d "$("$1/rustc" --print sysroot 2>/dev/null)/lib/rustlib/src/rust/library/std" ]]
}

found=
for directory in "${candidates[@]}"; do
    [[ -x $directory/cargo && -x $directory/rustc ]] || continue
    if has_library "$directory"; then
        found=library
        break
    elif has_sources "$directory"; then
        found=sources
        break
    fi
done

if [[ -z $found ]]; then
    echo "the simulator for browsers cannot be built: Rust's target $target is missing" \
        "(rustup target add $target; or Debian's packages rustc-web, cargo-web, rust-web-src and lld)" >&2
    exit 1
fi
[[ ${1:?a file is needed} != --missing ]] || exit 0

root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${CARGO_TARGET_DIR:-$root/target}
export RUSTC=$directory/rustc
# A module is part of wheels and pages: no path of this machine is left in it.
export CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"$'\x1f'"--remap-path-prefix=$root=/narrows"
if [[ $found == sources ]]; then
    # The standard library is compiled, too, which only a nightly compiler does without being asked like this.
    export RUSTC_BOOTSTRAP=1
    options+=(-Zbuild-std=std,panic_abort --config "target.$target.linker='wasm-ld'")
fi
"$directory/cargo" "${options[@]}" --manifest-path "$root/Cargo.toml"
cp "$folder/$target/page/narrows_playground.wasm" "$1"
