// SPDX-License-Identifier: Apache-2.0

/** What is wrong with a scenario, and where. */
export interface Diagnostic {
  /** Line of the scenario's text, from 1; null where the place is not known. */
  line: number | null;
  /** Column of the line, from 1. */
  column: number | null;
  /** The key, as in `path.rate`. */
  path: string | null;
  /** The message as the command line prints it: place, what was given, what is allowed. */
  text: string;
}

/** A scenario has errors. */
export class ScenarioError extends Error {
  diagnostics: Diagnostic[];
}

export interface Options {
  /** Master seed in place of the scenario's own. */
  seed?: number | bigint;
  /** Changes of keys before the run, each a value in TOML: `{ "path.rate": '"20Mbps"' }`. */
  set?: Record<string, string>;
  /** The algorithm that takes the place of the scenario's subject, as in `cubic`, `aimd(a=1,b=0.8)` or `./mine.wasm:mine`. */
  subject?: string;
  /**
   * Controllers in WebAssembly, the bytes of each by the name of its file, by which a scenario or `subject` names it: with
   * `{ "mine.wasm": bytes }` an algorithm is `./mine.wasm:NAME`. They are interpreted with the limits of the command line.
   */
  controllers?: Record<string, ArrayBuffer | ArrayBufferView>;
}

export interface RunOptions extends Options {
  /** Number of replications, from 1 to 10000; 1 if it is missing, whatever the scenario says. */
  replications?: number;
  /** Called with the simulated time so far, seconds, which begins again with each replication. */
  progress?: (simulated_s: number) => void;
}

/** The values of metrics by their names, in the unit that `narrows list metrics` gives; null without data. */
export type Metrics = Record<string, number | null>;

export interface Summary {
  /** End of the warm-up, seconds. */
  warmup_s: number;
  /** Metrics by group of flows. */
  groups: Record<string, Metrics>;
  /** Metrics by link. */
  links: Record<string, Metrics>;
  /** What did not hold has a level. */
  checks: { name: string; level: "note" | "caution" | "broken" | null; detail: string }[];
  /** Number of packets, each counted at every link. */
  packet_hops: number;
}

/** A flow or a link over time. */
export interface Series {
  kind: "flow" | "link";
  name: string;
  group: string;
  /** `time_s` and the columns of the table `series` of a run folder; NaN where a column has no value. */
  columns: Record<string, Float64Array>;
}

export interface Result {
  /** The digest of `narrows run` with the same scenario, seed and `--replications`: `sha256:` and 64 digits. */
  digest: string;
  /** Of the first replication. */
  summary: Summary;
  /** Of every replication, the first one included. */
  replications: Summary[];
  /** Of the first replication. */
  series: Series[];
}

export interface Description {
  title: string;
  duration_s: number;
  /** Pairs of a title and a text. */
  description: [string, string][];
  /** The scenario with every default. */
  resolved: Record<string, unknown>;
}

/**
 * Runs a scenario, the text of a scenario file.
 *
 * @throws ScenarioError if the scenario has errors; Error if the run violates an invariant or cannot have so many replications;
 * TypeError for another argument.
 */
export function run(scenario: string, options?: RunOptions): Promise<Result>;

/** Describes a scenario without running it; errors as `run`. */
export function describe(scenario: string, options?: Options): Promise<Description>;

/**
 * Compiles the simulator, by default the file `narrows.wasm` of this package; `run` and `describe` do so by themselves.
 *
 * `source` is an ArrayBuffer or a view of one, a Response or a WebAssembly.Module, and the result a WebAssembly.Module, which can be
 * passed to workers. They are not named by their types, which are those of pages (the library `dom`), so that a program for node
 * compiles without them.
 */
export function load(source?: object): Promise<object>;
