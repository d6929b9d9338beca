import type { Key } from "./keys.ts";
import type { Recall } from "./recall.ts";

/** How a key changed the search. `left`: it took what was found, and the key is still to be done. */
type SearchStep = "goes-on" | "accepted" | "cancelled" | "left";

/** Ctrl-R: searches earlier input by a part of it, latest first. */
export class HistorySearch {
  readonly #recall: Recall;
  #wanted = "";
  #match: { readonly index: number; readonly text: string } | null = null;
  #isFailing = false;

  constructor(recall: Recall) {
    this.#recall = recall;
  }

  /** What the input shows meanwhile; null: what stood there. */
  get found(): string | null {
    return this.#match?.text ?? null;
  }

  handle(key: Key): SearchStep {
    if (key.type !== "chord") {
      this.#look(this.#wanted + key.text.replaceAll("\n", " "), this.#match && this.#match.index + 1);
      return "goes-on";
    }
    switch (key.chord) {
      case "C-r":
        this.#look(this.#wanted, this.#match?.index ?? null);
        return "goes-on";
      case "backspace":
        this.#look([...this.#wanted].slice(0, -1).join(""), null);
        return "goes-on";
      case "C-c":
      case "C-g":
        return "cancelled";
      case "escape":
      case "tab":
        return "accepted";
      default:
        return "left";
    }
  }

  rows(): string[] {
    const what = this.#isFailing ? "not found" : "searched";
    return [`  ${what}: ${this.#wanted}_   Ctrl-R an older one · Enter sends it · Esc edits it · Ctrl-G leaves`];
  }

  #look(wanted: string, before: number | null): void {
    this.#wanted = wanted;
    const match = wanted === "" ? null : this.#recall.find(wanted, before ?? undefined);
    this.#isFailing = wanted !== "" && match === null;
    // The last match stays visible while the rest of a word is mistyped.
    if (match !== null || wanted === "") this.#match = match;
  }
}
