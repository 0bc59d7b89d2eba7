// SPDX-License-Identifier: Apache-2.0
// The explanations of `narrows why` below a figure.

// The explanations of the moments of a figure, as `narrows why` gives them; undefined where it has none.
async function momentsOf(figure) {
  const number = figure.replication ?? figure.querySelector("template[data-moments]")?.dataset.moments;
  const packed = figure.querySelector(`template[data-moments="${number}"]`);
  if (packed && !packed.moments) packed.moments = JSON.parse(await unpacked(packed.dataset.packed));
  return packed?.moments;
}

// The flow and the time that a place of a figure stands for: those of a mark nearby, else of the nearest line.
function momentAt(paper, moments, x, y) {
  const panels = panelsOf(paper);
  const index = Math.max(panels.findIndex((each) => y <= each.top + each.height + 4), 0);
  const panel = panels[index];
  const flows = Object.values(moments.panels[index]);
  const marks = pointsOf(paper).filter((mark) => mark.panel === panel && Math.hypot(mark.x - x, mark.y - y) < NEARBY);
  const at = Math.min(Math.max(x, panel.left), panel.left + panel.width);
  const drawn = drawnX(panel, at);
  if (marks.length) {
    const mark = nearest(marks, x, y);
    const flow = flows.find((each) => mark.text.startsWith(`${each.flow}, `));
    if (flow) return { index, flow, time: panel.across.value(drawnX(panel, mark.x)) };
  }
  const lines = [...panel.panel.querySelectorAll('[data-series]:not(.off) > path.line')];
  const away = (path) => Math.abs(seenY(panel, panel.up.position(readAt(path, drawn, panel.up))) - y);
  const shown = lines.filter((path) => path.parentNode.dataset.series in moments.panels[index]);
  if (!shown.length) return undefined;
  const line = shown.reduce((a, b) => (away(a) <= away(b) ? a : b));
  return { index, flow: moments.panels[index][line.parentNode.dataset.series], time: panel.across.value(drawn) };
}

async function explainAt(figure, x, y) {
  const moments = await momentsOf(figure);
  const found = moments && momentAt(visiblePaper(figure), moments, x, y);
  if (found) explain(figure, moments, found);
}

function html(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// Says below a figure what happened to a flow around a moment, in the words of `narrows why`.
function explain(figure, moments, { index, flow, time }) {
  const distance = ([at]) => Math.abs(at - time);
  const near = flow.changes.reduce((a, b) => (a && distance(a) <= distance(b) ? a : b), undefined);
  const explained = near !== undefined && distance(near) <= moments.reach_s;
  const at = explained ? near[0] : time;
  const lines = explained
    ? near[3]
    : flow.events.filter(([start, end]) => end >= time - moments.reach_s && start <= time + moments.reach_s)
      .map(([start, , text]) => [start, text]);
  const go = (change) => change && explain(figure, moments, { index, flow, time: change[0] });
  const earlier = flow.changes.findLast(([each]) => each < at);
  const later = flow.changes.find(([each]) => each > at);
  const step = (label, change) => html("button", { type: "button", class: "tool", click: () => {
    go(change);
    figure.querySelector(`.why [data-step="${label}"]`)?.focus();
  }, disabled: change ? undefined : "", "data-step": label }, label);
  const panelName = panelsOf(visiblePaper(figure))[index].panel.dataset.title;
  const flows = Object.values(moments.panels[index]);
  const choice = html("select", { "aria-label": "Flow", change: () => explain(figure, moments, { index, flow: flows[choice.selectedIndex], time }) },
    ...flows.map((each) => new Option(each.flow, each.flow, false, each === flow)));
  const box = figure.querySelector(".why");
  const close = () => {
    box.hidden = true;
    for (const mark of figure.querySelectorAll(".moment")) mark.remove();
  };
  box.replaceChildren(
    html("div", { class: "head" },
      html("span", { class: "when" }, panelName ? `${panelName}: ` : "", flows.length > 1 ? choice : html("b", {}, flow.flow), ` around ${at.toFixed(4)}\u202fs`),
      html("span", { class: "steps" },
        step("Earlier change", earlier), step("Later change", later),
        html("button", { type: "button", class: "tool", click: close, "aria-label": "Close the explanation" }, "Close"))),
    html("p", { class: "said" }, explained ? near[1] : flow.nothing + (near ? near[2] : "")),
    html("ol", {}, ...lines.map(([start, text]) => html("li", {}, html("span", { class: "stamp" }, `${start.toFixed(4)}\u202fs`), html("span", {}, text)))),
    ...(flow.left_out ? [html("p", { class: "note" }, `The ${flow.changes.length} deepest changes of this window are explained here, ${flow.left_out} are not; the command explains every one.`)] : []),
    html("p", { class: "note" }, "In this folder: ", html("code", {}, `${flow.command} --at ${at.toFixed(4)}s`)),
  );
  box.hidden = false;
  point(figure, index, at);
}

// Marks the moment that is explained.
function point(figure, index, time) {
  for (const mark of figure.querySelectorAll(".moment")) mark.remove();
  for (const paper of figure.querySelectorAll(".paper")) {
    const panel = panelsOf(paper)[index];
    const x = panel.across.position(time);
    const inside = panel.panel.querySelector(":scope > svg.inside");
    inside?.append(make("path", { class: "moment", d: `M${x} ${panel.top}v${panel.height}` }));
  }
}
