// SPDX-License-Identifier: Apache-2.0
// One side of the page: a worker that always runs the newest job, `{ request, facts }`.
class Runner {
  // `show` is called with `{ simulated }`, `{ answer }`, `{ failed }` or `{ stopped: true }`, and the facts of the job.
  constructor(source, module, show) {
    Object.assign(this, { source, module, show, worker: null, job: null, started: 0, next: null });
  }

  get busy() {
    return this.job !== null;
  }

  run(job) {
    if (this.busy && performance.now() - this.started < PATIENT_MS) {
      // A short run ends soon: to stop it at each step of a slider would never show a result.
      this.next = job;
      return;
    }
    if (this.busy) this.end();
    this.start(job);
  }

  start(job) {
    if (!this.worker) {
      this.worker = new Worker(this.source);
      this.worker.onmessage = ({ data }) => this.receive(data);
      this.worker.onerror = (event) => this.receive({ failed: event.message });
    }
    Object.assign(this, { job, started: performance.now(), next: null });
    this.worker.postMessage({ module: this.module, request: job.request });
  }

  receive(event) {
    const { facts } = this.job;
    if (event.simulated !== undefined) {
      if (this.next && performance.now() - this.started >= PATIENT_MS) this.run(this.next);
      else this.show(event, facts);
      return;
    }
    const { next } = this;
    this.job = null;
    this.show(event, facts);
    if (next) this.start(next);
  }

  // Ends the run without a result.
  stop() {
    if (!this.busy) return;
    const { facts } = this.job;
    this.end();
    this.show({ stopped: true }, facts);
  }

  end() {
    this.worker.terminate();
    Object.assign(this, { worker: null, job: null, next: null });
  }
}

const PATIENT_MS = 1200;
