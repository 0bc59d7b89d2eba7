// SPDX-License-Identifier: Apache-2.0
// The simulator for programs: a scenario as text in, digest, metrics and series out. `index.d.ts` describes it.
import { Engine } from "./engine.js";

export class ScenarioError extends Error {
  constructor(diagnostics) {
    super(diagnostics.map(({ text }) => text).join("\n"));
    this.name = "ScenarioError";
    this.diagnostics = diagnostics;
  }
}

let compiled = null;

// The module, compiled once. Another source than the file beside this one is bytes, a response or a compiled module.
export function load(source) {
  if (source === undefined) {
    compiled ??= fromFile();
    return compiled;
  }
  compiled = Promise.resolve(source).then((given) => {
    if (given instanceof WebAssembly.Module) return given;
    if (typeof Response === "function" && given instanceof Response) return WebAssembly.compileStreaming(given);
    return WebAssembly.compile(given);
  });
  return compiled;
}

async function fromFile() {
  const place = new URL("./narrows.wasm", import.meta.url);
  if (place.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(place));
  }
  return WebAssembly.compileStreaming(fetch(place));
}

export async function describe(scenario, options = {}) {
  const engine = await Engine.create(await load(), () => {});
  return described(engine, prepared(engine, scenario, options));
}

export async function run(scenario, options = {}) {
  const progress = options.progress ?? (() => {});
  // Each run has memory of its own: a panic or a large scenario leaves nothing behind.
  const engine = await Engine.create(await load(), progress);
  const answer = engine.call("run", { ...prepared(engine, scenario, options), replications: options.replications });
  refuse(answer);
  const replications = [answer, ...answer.others].map(summarized);
  return { digest: answer.digest, summary: replications[0], replications, series: curves(engine, answer.series) };
}

function summarized({ warmup_s, groups, links, checks, packet_hops }) {
  return { warmup_s, groups: byName(groups), links: byName(links), checks, packet_hops };
}

function prepared(engine, scenario, { seed, set = {}, subject = null, controllers = {} }) {
  if (typeof scenario !== "string") throw new TypeError(`scenario: expected the text of a scenario file, got ${typeof scenario}`);
  const changes = Object.entries(set);
  if (seed !== undefined) changes.push(["seed", wholeNumber(seed)]);
  const modules = Object.fromEntries(Object.entries(controllers).map(([file, content]) => [file, hexadecimal(file, content)]));
  if (!changes.length) return { text: scenario, subject, modules };
  const { text, error } = engine.call("edit", { text: scenario, changes });
  if (error !== undefined) throw new ScenarioError([{ line: null, column: null, path: null, text: error }]);
  return { text, subject, modules };
}

// A request is JSON, in which bytes are digits.
function hexadecimal(file, content) {
  const isView = ArrayBuffer.isView(content);
  if (!isView && !(content instanceof ArrayBuffer)) {
    throw new TypeError(`controllers: expected the bytes of ${file}, an ArrayBuffer or a view of one, got ${typeof content}`);
  }
  const bytes = isView ? new Uint8Array(content.buffer, content.byteOffset, content.byteLength) : new Uint8Array(content);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function wholeNumber(seed) {
  if (typeof seed === "bigint" ? seed >= 0n : Number.isSafeInteger(seed) && seed >= 0) return String(seed);
  throw new TypeError(`seed: expected a whole number from 0, as a bigint from 2^53 on, got ${String(seed)}`);
}

function described(engine, request) {
  const answer = engine.call("describe", request);
  refuse(answer);
  const { title, duration_s, description, resolved } = answer;
  return { title, duration_s, description, resolved };
}

function refuse({ error, errors }) {
  if (error !== undefined) throw new Error(error);
  if (errors.length) throw new ScenarioError(errors);
}

function byName(owners) {
  return Object.fromEntries(owners.map(({ name, values }) => [name, values]));
}

// The rows of the table `series`, which has all flows and links one after another at each time, by flow and link.
function curves(engine, addresses) {
  const table = Object.fromEntries(Object.entries(addresses).map(([name, each]) => [name, engine.column(each)]));
  const { kind, name, group } = table;
  if (kind === undefined) return [];
  const found = new Map();
  for (let row = 0; row < name.values.length; row += 1) {
    const key = `${kind.values[row]} ${name.values[row]}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(row);
  }
  const numbers = Object.entries(table).filter(([, { labels }]) => !labels);
  const label = (column, row) => column.labels[column.values[row]];
  return [...found.values()].map((rows) => ({
    kind: label(kind, rows[0]),
    name: label(name, rows[0]),
    group: label(group, rows[0]),
    columns: Object.fromEntries(
      numbers.map(([column, { values }]) => [column, Float64Array.from(rows, (row) => Number(values[row]))]),
    ),
  }));
}
