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
  /** The algorithm that takes the place of the scenario's subject, as in `cubic` or `aimd(a=1,b=0.8)`. */
  subject?: string;
}

export interface RunOptions extends Options {
  /** Called with the simulated time so far, seconds. */
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
  /** That of `narrows run --replications 1` with the same scenario and seed: `sha256:` and 64 digits. */
  digest: string;
  summary: Summary;
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
 * Runs the first replication of a scenario, the text of a scenario file.
 *
 * @throws ScenarioError if the scenario has errors; Error if the run violates an invariant; TypeError for another argument.
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
