// SPDX-License-Identifier: Apache-2.0
// The page: a scenario as text, controls that change it, and the two sides that show its runs.
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (selector, within = document) => within.querySelector(selector);
  const editor = find("#text");
  // What a link to the page holds.
  const experiment = { text: "", beside: "" };
  // Contents in hexadecimal of the chosen WebAssembly modules, by the names of their files. No link holds them.
  let modules = {};

  function build(name, properties, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }

  // --- The engine, and the two sides.

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  const module = await WebAssembly.compile(await unpacked(data.module));
  const source = URL.createObjectURL(new Blob([data.worker], { type: "text/javascript" }));

  const asker = new Asker(source, module);

  class Side {
    constructor(root, digest) {
      Object.assign(this, { root, digest, facts: null, result: null });
      this.plot = new Plot(find("canvas", root), find(".readout", root));
      this.runner = new Runner(source, module, (event, facts) => this.show(event, facts));
    }

    run(text, subject, facts) {
      this.digest.textContent = "";
      this.root.hidden = false;
      this.runner.run({ request: { text, subject, modules }, facts });
      this.state("running", 0);
    }

    clear() {
      this.runner.stop();
      Object.assign(this, { facts: null, result: null });
      this.digest.textContent = "";
    }

    show({ simulated, answer, failed, stopped }, facts) {
      if (simulated !== undefined) {
        this.state("running", simulated / (facts.duration_s * facts.runs));
        return;
      }
      if (stopped || failed) {
        this.state(stopped ? "stopped" : "failed", 0, failed);
        return;
      }
      if (answer.errors.length) {
        this.state("failed", 0, answer.errors.map(({ text }) => text).join("\n"));
        return;
      }
      Object.assign(this, { facts, result: answer });
      // Where a newer job waits, this is not the digest of what the page says.
      if (!this.runner.next) this.digest.textContent = answer.digest;
      this.state("done", 1);
      drawSides();
    }

    state(name, part, message = "") {
      this.root.dataset.state = name;
      find("progress", this.root).value = part;
      find(".message", this.root).textContent = message;
      find("#stop").disabled = !sides.some(({ runner }) => runner.busy);
    }
  }

  const sides = [];
  sides.push(new Side(find("#first"), find("#digest")), new Side(find("#second"), find("#digest-beside")));

  // --- What the plots show.

  // The algorithm of each group, as the scenario was resolved.
  function algorithms(facts) {
    return new Map(facts.resolved.flows.map((group) => [group.name, nameOf(group.algorithm)]));
  }

  function nameOf(algorithm) {
    return typeof algorithm === "string" ? algorithm : (algorithm && (algorithm.name || algorithm.class)) || "";
  }

  // The rows of each flow and link: `{ kind, name, group, rows }`.
  function rowsOf(series) {
    const found = new Map();
    const { kind, name, group } = series;
    for (let row = 0; row < name.values.length; row += 1) {
      const code = name.values[row] * 2 + kind.values[row];
      if (!found.has(code)) {
        const label = (column) => column.labels[column.values[row]];
        found.set(code, { kind: label(kind), name: label(name), group: label(group), rows: [] });
      }
      found.get(code).rows.push(row);
    }
    return [...found.values()];
  }

  function lineOf(series, column, owner, style) {
    const at = (name) => Float64Array.from(owner.rows, (row) => series[name].values[row]);
    return { ...style, label: owner.name, times: at("time_s"), values: at(column) };
  }

  function stylesOf(facts) {
    const used = new Map();
    return new Map([...algorithms(facts)].map(([group, algorithm]) => {
      const place = used.get(algorithm) || 0;
      used.set(algorithm, place + 1);
      // Lines of a time series are legible without dashes where hues differ.
      const hue = data.hues[algorithm] ?? data.hues[""];
      return [group, { colour: `--c${hue}t${place % data.tones}`, dash: data.dashes[place % data.dashes.length] }];
    }));
  }

  function peak(lines) {
    return lines.reduce((top, { values }) => values.reduce((a, b) => (b > a ? b : a), top), 0);
  }

  function panelsOf({ facts, result }) {
    const { series } = result;
    if (!series.name) return [];
    const owners = rowsOf(series);
    const styles = stylesOf(facts);
    const flows = owners.filter(({ kind }) => kind === "flow");
    const width = flows.length > 12 ? 0.8 : 1.5;
    const of = (column) => flows.map((flow) => lineOf(series, column, flow, { ...styles.get(flow.group), width }));
    const grey = { colour: "--limit", dash: [], width: 1.2 };
    const links = owners.filter(({ kind }) => kind === "link");
    const queues = links.map((link) => lineOf(series, "queue_packets", link, grey));
    const busiest = queues.indexOf([...queues].sort((a, b) => peak([b]) - peak([a]))[0]);
    const capacity = busiest < 0 ? [] : [lineOf(series, "capacity_bps", links[busiest], { ...grey, dash: [2, 3], width: 1 })];
    return [
      { title: "Congestion window", unit: "packets", lines: of("cwnd_packets") },
      { title: "Rate", unit: "bps", lines: [...of("throughput_bps"), ...capacity] },
      { title: `Queue of ${busiest < 0 ? "the link" : links[busiest].name}`, unit: "packets", lines: busiest < 0 ? [] : [queues[busiest]] },
      { title: "Round-trip time", unit: "s", lines: of("rtt_s") },
    ];
  }

  // Draws both sides with equal scales, so that they can be compared.
  function drawSides() {
    const ready = sides.filter(({ result, root }) => result && !root.hidden);
    const drawn = ready.map(panelsOf);
    drawn.forEach((panels, side) => {
      panels.forEach((panel, place) => {
        const top = Math.max(...drawn.map((each) => (each[place] ? peak(each[place].lines) : 0)));
        panel.top = top > 0 ? top * 1.05 : 1;
      });
      const { facts, result, plot, root } = ready[side];
      plot.set(panels, facts.duration_s, result.warmup_s);
      legend(root, facts);
    });
    numbers(ready);
  }

  function legend(root, facts) {
    const styles = stylesOf(facts);
    const keys = [...algorithms(facts)].map(([group, algorithm]) => {
      const text = group === algorithm ? group : `${group}: ${algorithm}`;
      const mark = build("i", { className: "mark" });
      mark.style.background = `var(${styles.get(group).colour})`;
      return build("li", {}, mark, text);
    });
    find(".legend", root).replaceChildren(...keys);
    find("h2", root).textContent = [...new Set(algorithms(facts).values())].join(" and ");
  }

  // --- Numbers and checks.

  function numbers(ready) {
    const table = find("#numbers");
    const rows = new Map();
    ready.forEach(({ result }, side) => {
      for (const [kind, owners] of [["group", result.groups], ["link", result.links]]) {
        for (const { name, values } of owners) {
          for (const metric of data.metrics.filter(({ of }) => of === kind)) {
            const key = `${kind} ${name} ${metric.name}`;
            const row = rows.get(key) || { owner: name, metric, values: [] };
            row.values[side] = values[metric.name];
            rows.set(key, row);
          }
        }
      }
    });
    const heads = ready.map(({ facts }) => [...new Set(algorithms(facts).values())].join(", "));
    const head = build("tr", {}, ...["", "", ...heads].map((text) => build("th", { textContent: text, scope: "col" })));
    let last = "";
    const body = [...rows.values()]
      .filter(({ values }) => values.some((value) => Number.isFinite(value)))
      .map(({ owner, metric, values }) => {
        const first = owner === last ? "" : owner;
        last = owner;
        const cells = heads.map((_, side) => build("td", { textContent: shown(values[side] ?? NaN, metric.unit) }));
        return build("tr", {}, build("th", { textContent: first, scope: "row" }), build("td", { textContent: metric.label, className: "label", title: metric.summary }), ...cells);
      });
    table.replaceChildren(build("thead", {}, head), build("tbody", {}, ...body));
    const problems = ready.flatMap(({ result }) => result.checks.filter(({ level }) => level === "broken" || level === "caution"));
    find("#checks").replaceChildren(...problems.map(({ name, level, detail }) => build("li", { textContent: `${level}: ${name}: ${detail}` })));
  }

  // --- The text, its errors, and the link that holds it.

  async function changed() {
    const { text, beside } = experiment;
    remember();
    const facts = await asker.ask("describe", { text, modules });
    // Meanwhile the text may be another one.
    const stale = () => experiment.text !== text || experiment.beside !== beside;
    if (!facts || stale()) return;
    find("#errors").textContent = facts.errors.map((each) => each.text).join("\n");
    find("#errors").hidden = !facts.errors.length;
    document.body.classList.toggle("faulty", facts.errors.length > 0);
    const edited = await asker.ask("edit", { text, changes: [] });
    if (!edited || stale()) return;
    if (edited.document) showControls(edited.document, facts.resolved);
    if (facts.errors.length) {
      for (const side of sides) side.clear();
      return;
    }
    find("h1").textContent = facts.title;
    document.title = `${facts.title} · Narrows`;
    sides[0].run(text, null, facts);
    const other = beside ? await asker.ask("describe", { text, subject: beside, modules }) : null;
    if (stale()) return;
    find("#sides").classList.toggle("two", Boolean(other));
    find("#beside-digest").hidden = !other;
    if (other && !other.errors.length) {
      sides[1].run(text, beside, other);
    } else {
      sides[1].clear();
      sides[1].root.hidden = true;
    }
  }

  let waiting = null;
  function write(text) {
    experiment.text = text;
    if (editor.value !== text) editor.value = text;
    clearTimeout(waiting);
    waiting = null;
    return changed();
  }

  editor.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => write(editor.value), 400);
  });

  async function change(...changes) {
    const answer = await asker.ask("edit", { text: experiment.text, changes });
    if (!answer) return;
    const { text, error } = answer;
    if (error) find("#errors").textContent = error;
    else await write(text);
  }

  async function packed(text) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(""))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  // Bytes of the longest experiment in a link.
  const LONGEST = 1_000_000;

  // The text in a stream, which may unpack to any length.
  async function limited(stream) {
    const decoder = new TextDecoder();
    let [text, bytes] = ["", 0];
    for (let reader = stream.getReader(), part; !(part = await reader.read()).done; ) {
      bytes += part.value.length;
      if (bytes > LONGEST) {
        reader.cancel();
        throw new RangeError("longer than a megabyte");
      }
      text += decoder.decode(part.value, { stream: true });
    }
    return text + decoder.decode();
  }

  async function restored(fragment) {
    if (fragment.length > 2 * LONGEST) throw new RangeError("longer than a megabyte");
    const bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const { text, beside } = JSON.parse(await limited(stream));
    if (typeof text !== "string") throw new Error("no scenario");
    return { text, beside: typeof beside === "string" ? beside : "" };
  }

  // The fragment that this page wrote itself.
  let remembered = "";
  async function remember() {
    remembered = `#${await packed(JSON.stringify(experiment))}`;
    history.replaceState(null, "", remembered);
  }

  async function open(fragment) {
    try {
      load(await restored(fragment));
    } catch (problem) {
      find("#errors").hidden = false;
      find("#errors").textContent =
        problem instanceof RangeError
          ? "The link holds more than a megabyte: no experiment is that long."
          : "The link is damaged: it holds no experiment.";
    }
  }

  function load({ text, beside, lesson = "" }) {
    experiment.beside = beside;
    find("#beside").value = beside;
    find("#lesson").value = lesson;
    showLesson(lesson);
    return write(text);
  }

  addEventListener("hashchange", () => {
    if (location.hash !== remembered) open(location.hash.slice(1));
  });

  // --- Controls.

  const RANGES = {
    rate: { Mbps: [0.1, 1000] },
    rtt: { ms: [1, 1000] },
    limit: { bdp: [0.05, 20], pkt: [1, 5000], ms: [1, 2000], B: [1500, 3e7], s: [0.001, 10], KiB: [2, 30000], kB: [2, 30000] },
  };
  const PATHS = { rate: "path.rate", rtt: "path.rtt", limit: "path.queue.limit", duration: "duration" };

  // The text of a value in a unit in which its control has a range, or null.
  function inUnit(name, text) {
    const found = quantity(String(text));
    if (!found) return null;
    if (RANGES[name][found.unit]) return found;
    const dimension = { rate: "rate", rtt: "time" }[name];
    const [unit] = Object.keys(RANGES[name]);
    const size = dimension && UNITS[dimension].find(([each]) => each === unit)[1];
    const value = dimension ? valueOf(text, dimension) / size : NaN;
    return Number.isFinite(value) ? { number: value, unit } : null;
  }

  function slider(name) {
    const input = find(`#${name}`);
    const range = find(`#${name}-range`);
    range.addEventListener("input", () => {
      const [low, high] = RANGES[name][range.dataset.unit];
      const number = rounded(low * (high / low) ** (Number(range.value) / 1000), 2);
      const text = name === "rate" ? written(number * 1e6, "rate", 2) : name === "rtt" ? written(number * 1e-3, "time", 2) : `${number}${range.dataset.unit}`;
      input.value = text;
      change([PATHS[name], JSON.stringify(text)]);
    });
  }

  function showRange(name, text) {
    const range = find(`#${name}-range`);
    const found = inUnit(name, text) || (text === "infinite" ? { number: Infinity, unit: "bdp" } : null);
    range.disabled = !found;
    if (!found) return;
    const [low, high] = RANGES[name][found.unit];
    range.dataset.unit = found.unit;
    if (document.activeElement !== range) range.value = Math.round((1000 * Math.log(found.number / low)) / Math.log(high / low));
    range.setAttribute("aria-valuetext", text);
  }

  const toml = (value) => JSON.stringify(value);

  for (const name of Object.keys(PATHS)) {
    find(`#${name}`).addEventListener("change", (event) => change([PATHS[name], toml(event.target.value.trim())]));
    if (RANGES[name]) slider(name);
  }
  find("#ecn").addEventListener("change", (event) => change(["transport.ecn", String(event.target.checked)]));
  find("#queue").addEventListener("change", ({ target }) => change(["path.queue.kind", toml(target.value)]));
  find("#beside").addEventListener("change", (event) => {
    experiment.beside = event.target.value;
    changed();
  });
  find("#module").addEventListener("change", async ({ target: { files } }) => {
    const read = async (file) => {
      const bytes = new Uint8Array(await file.arrayBuffer());
      return [file.name, Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("")];
    };
    modules = Object.fromEntries(await Promise.all(Array.from(files, read)));
    changed();
  });
  find("#add").addEventListener("click", async () => {
    const answer = await asker.ask("edit", { text: experiment.text, changes: [] });
    if (!answer?.document) return;
    const content = answer.document;
    const place = (content.flows || []).length;
    const names = (content.flows || []).map((group) => group.name || nameOf(group.algorithm));
    const algorithm = data.algorithms.find((each) => !names.includes(each)) || data.algorithms[0];
    await change([`flows.${place}.algorithm`, toml(algorithm)]);
  });

  function showControls(content, resolved) {
    const path = content.path || {};
    const queue = typeof path.queue === "string" ? { kind: path.queue } : path.queue || {};
    const isPath = Boolean(content.path);
    const kind = queue.kind || "droptail";
    const limit = queue.limit ?? (data.queues.find(({ name }) => name === kind)?.limit && kind === "droptail" ? "1bdp" : resolved?.path?.queue?.limit);
    const values = { rate: path.rate, rtt: path.rtt, limit, duration: content.duration };
    for (const [name, value] of Object.entries(values)) {
      const input = find(`#${name}`);
      const text = typeof value === "string" ? value : "";
      if (document.activeElement !== input) input.value = text;
      input.disabled = name !== "duration" && (!isPath || (value !== undefined && typeof value !== "string") || (name === "limit" && limit === undefined));
      input.placeholder = input.disabled ? "see the text" : "";
      if (RANGES[name]) showRange(name, input.disabled ? "" : text);
    }
    find("#queue").disabled = !isPath;
    find("#queue").value = kind;
    find("#ecn").checked = Boolean(content.transport?.ecn ?? resolved?.transport?.ecn);
    showFlows(content.flows || []);
  }

  function showFlows(flows) {
    const shape = flows.map((group) => group.name || "").join("\n");
    const list = find("#flows");
    // Rebuilt only where groups came or went, so that a control that is in use stays.
    if (list.dataset.shape !== `${flows.length} ${shape}`) {
      list.dataset.shape = `${flows.length} ${shape}`;
      list.replaceChildren(...flows.map((group, place) => flowRow(group, place, flows.length)));
    }
    flows.forEach((group, place) => {
      const row = list.children[place];
      const name = nameOf(group.algorithm);
      const select = find("select", row);
      if (![...select.options].some(({ value }) => value === name)) select.append(build("option", { value: name, textContent: name || "none" }));
      select.value = name;
      const count = find("input", row);
      count.disabled = group.count !== undefined && typeof group.count !== "number";
      if (document.activeElement !== count) count.value = count.disabled ? "" : group.count ?? 1;
    });
  }

  function flowRow(group, place, count) {
    const select = build("select", { ariaLabel: `algorithm of group ${place + 1}` }, ...data.algorithms.map((name) => build("option", { value: name, textContent: name })));
    select.addEventListener("change", () => change([`flows.${place}.algorithm`, toml(select.value)]));
    const number = build("input", { type: "number", min: 1, max: 1000, ariaLabel: `flows of group ${place + 1}` });
    number.addEventListener("input", () => {
      if (number.validity.valid && number.value) change([`flows.${place}.count`, number.value]);
    });
    const remove = build("button", { type: "button", textContent: "×", title: "remove the group", disabled: count < 2, ariaLabel: `remove group ${place + 1}` });
    remove.addEventListener("click", () => change([`flows.${place}`, ""]));
    return build("li", {}, build("span", { textContent: group.name || "" }), number, select, remove);
  }

  // --- Lessons and tools.

  function showLesson(name) {
    const lesson = data.lessons.find((each) => each.name === name);
    find("#sentences").textContent = lesson ? lesson.sentences : "";
    find("#sentences").hidden = !lesson;
  }

  const option = (value, text = value) => build("option", { value, textContent: text });
  find("#queue").append(...data.queues.map(({ name }) => option(name)));
  find("#beside").append(option("", "nothing"), ...data.algorithms.map((name) => option(name)));
  find("#lesson").append(option("", data.initial.name), ...data.lessons.map(({ name, title }, place) => option(name, `${place + 1}. ${title}`)));
  find("#lesson").addEventListener("change", ({ target: { value } }) => {
    load(value ? { ...data.lessons.find(({ name }) => name === value), lesson: value } : data.initial);
  });
  find("#controls").addEventListener("submit", (event) => event.preventDefault());
  find("#stop").addEventListener("click", () => sides.forEach(({ runner }) => runner.stop()));
  find("#again").addEventListener("click", () => changed());
  find("#download").addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([experiment.text], { type: "application/toml" }));
    build("a", { href: url, download: "scenario.toml" }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  });
  find("#share").addEventListener("click", async () => {
    await remember();
    const said = find("#said");
    try {
      await navigator.clipboard.writeText(location.href);
      said.textContent = "The link is in the clipboard.";
    } catch {
      said.textContent = "The address of this page is the link.";
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawSides);

  if (location.hash.length > 1) open(location.hash.slice(1));
  else load(data.initial);
})();
