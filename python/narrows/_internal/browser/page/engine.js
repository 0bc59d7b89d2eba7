// SPDX-License-Identifier: Apache-2.0
// Calls of the WebAssembly module: a request and its answer are JSON in the module's memory.
"use strict";

class Engine {
  constructor(instance) {
    this.exports = instance.exports;
  }

  // `progress` is called with the simulated time so far, seconds.
  static async create(module, progress) {
    return new Engine(await WebAssembly.instantiate(module, { page: { progress } }));
  }

  // Throws the message of a panic; the engine must not be used afterwards.
  call(name, request) {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const address = this.exports.nw_request(bytes.length);
    new Uint8Array(this.exports.memory.buffer, address, bytes.length).set(bytes);
    try {
      this.exports[`nw_${name}`]();
    } catch (trap) {
      throw new Error(this.text() || String(trap));
    }
    return JSON.parse(this.text());
  }

  text() {
    const { memory, nw_answer, nw_answer_length } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, nw_answer(), nw_answer_length()));
  }

  // A copy of a column of the last run: numbers, or codes and their labels.
  column({ kind, address, length, labels }) {
    const Kind = { real: Float64Array, whole: BigInt64Array, flag: Uint8Array, label: Uint32Array }[kind];
    return { values: new Kind(this.exports.memory.buffer, address, length).slice(), labels };
  }
}
