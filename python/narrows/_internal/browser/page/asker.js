// SPDX-License-Identifier: Apache-2.0
// Asks an engine for descriptions and edits of texts, in a worker: a long text does not stop the page.
class Asker {
  constructor(source, module) {
    Object.assign(this, { source, module, worker: null, queue: [], started: 0 });
  }

  // The answer; a panic is an error of the scenario. Null if a newer question ended the work.
  ask(name, request) {
    if (this.queue.length && performance.now() - this.started >= PATIENT_MS) this.end();
    return new Promise((resolve) => {
      this.queue.push({ name, request, resolve });
      if (this.queue.length === 1) this.start();
    });
  }

  start() {
    if (!this.worker) {
      this.worker = new Worker(this.source);
      this.worker.onmessage = ({ data }) => this.receive(data);
      this.worker.onerror = (event) => this.receive({ failed: event.message });
    }
    this.started = performance.now();
    const { name, request } = this.queue[0];
    this.worker.postMessage({ module: this.module, name, request });
  }

  receive({ answer, failed }) {
    const { resolve } = this.queue.shift();
    resolve(answer || { error: failed, errors: [{ text: failed }] });
    if (this.queue.length) this.start();
  }

  end() {
    this.worker.terminate();
    this.worker = null;
    for (const { resolve } of this.queue.splice(0)) resolve(null);
  }
}
