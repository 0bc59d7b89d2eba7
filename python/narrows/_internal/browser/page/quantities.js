// SPDX-License-Identifier: Apache-2.0
// Numbers with a unit, as in scenario files and as people read them.
const UNITS = {
  rate: [["bps", 1], ["kbps", 1e3], ["Mbps", 1e6], ["Gbps", 1e9], ["Tbps", 1e12]],
  time: [["us", 1e-6], ["ms", 1e-3], ["s", 1]],
  size: [["B", 1], ["kB", 1e3], ["MB", 1e6], ["KiB", 1024], ["MiB", 1048576]],
};

// The number and unit of a text such as "20Mbps"; null for any other.
function quantity(text) {
  const found = /^\s*([0-9.]+(?:e[+-]?\d+)?)\s*([A-Za-z]+)\s*$/.exec(text);
  return found && Number.isFinite(Number(found[1])) ? { number: Number(found[1]), unit: found[2] } : null;
}

// The value of a text in the base unit of `dimension`; NaN if it is none.
function valueOf(text, dimension) {
  const found = quantity(String(text));
  const unit = found && UNITS[dimension].find(([name]) => name === found.unit);
  return unit ? found.number * unit[1] : NaN;
}

function rounded(value, digits = 3) {
  return Number(value.toPrecision(digits));
}

// The text of a value in the largest unit that keeps its number at least 1; `digits` are significant.
function written(value, dimension, digits = 3) {
  const units = UNITS[dimension].filter(([name]) => !name.endsWith("iB"));
  const [name, size] = units.findLast(([, each]) => rounded(value, digits) >= each) || units[0];
  return `${rounded(value / size, digits)}${name}`;
}

const READ = {
  bps: [[1e9, "Gbps"], [1e6, "Mbps"], [1e3, "kbps"], [1, "bps"]],
  s: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]],
  share: [[0.01, "%"]],
  packets: [[1, "packets"]],
};

// The text of a value for readers: three digits and a unit.
function shown(value, unit) {
  if (value === null || !Number.isFinite(value)) return "–";
  const units = READ[unit] || [[1, ""]];
  const [size, name] = units.find(([each]) => Math.abs(value) >= each * 0.9995) || units[units.length - 1];
  return `${rounded(value / size)}${name && "\u202f"}${name}`;
}
