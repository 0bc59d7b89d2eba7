// SPDX-License-Identifier: Apache-2.0
// The playground as an element: <narrows-playground scenario="file.toml" beside="cubic" height="900"></narrows-playground>.
// Without `scenario` its text is the scenario; without both it shows the page's own. Nothing leaves the reader's machine.

// The part of the page's address that holds an experiment.
async function packed(experiment) {
  const content = new Blob([JSON.stringify(experiment)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(content).arrayBuffer());
  let letters = "";
  for (const each of bytes) letters += String.fromCharCode(each);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

class NarrowsPlayground extends HTMLElement {
  static observedAttributes = ["scenario", "beside", "height"];

  connectedCallback() {
    this.own = this.textContent.trim();
    this.frame = document.createElement("iframe");
    Object.assign(this.frame, { title: "Narrows playground", loading: "lazy" });
    Object.assign(this.frame.style, { border: "0", width: "100%" });
    this.attachShadow({ mode: "open" }).append(this.frame);
    this.show();
  }

  attributeChangedCallback() {
    if (this.frame) this.show();
  }

  async show() {
    const { frame } = this;
    frame.style.height = `${Number(this.getAttribute("height")) || 900}px`;
    const page = new URL("./playground.html", import.meta.url);
    try {
      const text = await this.text();
      if (text) page.hash = await packed({ text, beside: this.getAttribute("beside") ?? "" });
    } catch (error) {
      this.shadowRoot.replaceChildren(error.message, frame);
    }
    // The page reads its address once.
    frame.replaceWith((this.frame = Object.assign(frame.cloneNode(), { src: page.href })));
  }

  async text() {
    const file = this.getAttribute("scenario");
    if (file === null) return this.own;
    const answer = await fetch(new URL(file, document.baseURI));
    if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
    return answer.text();
  }
}

customElements.define("narrows-playground", NarrowsPlayground);
