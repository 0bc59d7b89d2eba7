// SPDX-License-Identifier: Apache-2.0
// Runs, describes or edits one scenario after another. Each has an engine of its own, so that none finds what another left.
onmessage = async ({ data: { module, request, name = "run" } }) => {
  try {
    const engine = await Engine.create(module, (simulated) => postMessage({ simulated }));
    const answer = engine.call(name, request);
    if (name !== "run") {
      postMessage({ answer });
      return;
    }
    if (answer.error) throw new Error(answer.error);
    const series = {};
    for (const [name, column] of Object.entries(answer.series || {})) series[name] = engine.column(column);
    const buffers = Object.values(series).map(({ values }) => values.buffer);
    postMessage({ answer: { ...answer, series } }, buffers);
  } catch (problem) {
    postMessage({ failed: problem.message });
  }
};
