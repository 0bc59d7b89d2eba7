#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Assembles the package of npm in FOLDER from its sources, the module of `make wasm` and the page of `narrows playground`.
#
#   package.sh MODULE FOLDER [PAGE]    without PAGE, the package has no element
set -euo pipefail
module=$(realpath "${1:?a module is needed}")
folder=$(realpath -m "${2:?a folder is needed}")
page=${3:+$(realpath "$3")}
cd "$(dirname "$0")/../.."

version=$(sed -n '/^\[workspace.package\]/,/^\[/ s/^version = "\(.*\)"$/\1/p' Cargo.toml)
rm -rf "$folder"
mkdir -p "$folder"
cp crates/playground/npm/{index.js,index.d.ts,element.js,element.d.ts,README.md} LICENSE "$folder"
sed "s/%VERSION%/$version/" crates/playground/npm/package.json >"$folder/package.json"
# The page uses the same class as a plain script.
{
    cat python/narrows/_internal/browser/page/engine.js
    echo 'export { Engine };'
} >"$folder/engine.js"
cp "$module" "$folder/narrows.wasm"
chmod 644 "$folder/narrows.wasm"
python3 crates/python/third_party.py "$folder/THIRD-PARTY.txt" narrows-playground wasm32-unknown-unknown
if [[ -n $page ]]; then
    cp "$page" "$folder/playground.html"
else
    rm "$folder"/element.{js,d.ts}
fi
