// SPDX-License-Identifier: Apache-2.0
/// <reference lib="dom" />

/**
 * The element `<narrows-playground>`, which importing this module defines: the playground in a frame.
 *
 * Its attributes are `scenario`, the address of a scenario file; `beside`, an algorithm that is run beside the scenario's; and `height`, in
 * pixels. Without `scenario` the text of the element is the scenario.
 */
declare class NarrowsPlayground extends HTMLElement {
  static readonly observedAttributes: string[];
}

export type { NarrowsPlayground };

declare global {
  interface HTMLElementTagNameMap {
    "narrows-playground": NarrowsPlayground;
  }
}
