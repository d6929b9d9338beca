/** An answer without the state that stands at its end. */
export interface SplitAnswer {
  readonly said: string;
  /** What stands within the block; null where the answer does not end with a closed one. */
  readonly block: string | null;
}

const OPENS_BLOCK = /^ {0,3}(`{3,})[ \t]*hermes-state[ \t]*$/;
const OPENS_FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
/** A line that may still become the opening of a block. */
const MAY_OPEN =
  /^ {0,3}(?:`{0,2}|`{3,}[ \t]*(?:h(?:e(?:r(?:m(?:e(?:s(?:-(?:s(?:t(?:a(?:te?)?)?)?)?)?)?)?)?)?)?)?[ \t]*)$/;

/**
 * Holds back the fenced block `hermes-state` at the end of an answer while the answer grows. A block that stands in the
 * middle, within another fence, or that is never closed is text like any other.
 */
export class StateBlock {
  /** The line that grows, and how much of it was given out. */
  #line = "";
  #given = 0;
  /** The fence that is open: its marker, and whether it opens a state. */
  #fence: { readonly marker: string; readonly isState: boolean } | null = null;
  /** What is held back: a block, and what stands behind it. */
  #held = "";
  #block = "";
  #isClosed = false;

  /** Takes what was said next, and returns what may be shown of it. */
  push(delta: string): string {
    let shown = "";
    let from = 0;
    for (let at = delta.indexOf("\n"); at >= 0; at = delta.indexOf("\n", from)) {
      this.#line += delta.slice(from, at);
      shown += this.#endLine("\n");
      from = at + 1;
    }
    this.#line += delta.slice(from);
    return shown + this.#peek();
  }

  /** Says what the answer was in the end. `said`: what was held back and is text. */
  end(): SplitAnswer {
    const shown = this.#endLine("");
    if (this.#isClosed) return { said: shown, block: this.#block };
    const said = shown + this.#held;
    this.#held = "";
    return { said, block: null };
  }

  /** What can be given out of a line that is not whole yet. */
  #peek(): string {
    if (this.#isHolding() && !(this.#isClosed && this.#line.trim() !== "")) return "";
    if (this.#fence === null && MAY_OPEN.test(this.#line.replace(/\r$/, ""))) return "";
    return this.#release() + this.#rest();
  }

  #isHolding(): boolean {
    return this.#isClosed || this.#fence?.isState === true;
  }

  #rest(): string {
    const rest = this.#line.slice(this.#given);
    this.#given = this.#line.length;
    return rest;
  }

  /** Something stands behind a closed block: it was text. */
  #release(): string {
    const held = this.#held;
    this.#held = "";
    this.#block = "";
    this.#isClosed = false;
    return held;
  }

  #endLine(lineBreak: string): string {
    const line = this.#line.replace(/\r$/, "");
    const whole = this.#line + lineBreak;
    const isBlank = line.trim() === "";
    let shown = "";
    if (this.#fence?.isState === true) {
      this.#held += whole;
      if (closes(line, this.#fence.marker)) {
        this.#fence = null;
        this.#isClosed = true;
      } else this.#block += whole;
    } else if (this.#isClosed && isBlank) {
      this.#held += whole;
    } else {
      const opening = this.#fence === null ? OPENS_BLOCK.exec(line) : null;
      if (this.#isClosed) shown += this.#release();
      if (opening !== null && this.#given === 0) {
        this.#held = whole;
        this.#fence = { marker: opening[1] ?? "", isState: true };
      } else {
        shown += this.#rest() + lineBreak;
        if (this.#fence === null) {
          const marker = OPENS_FENCE.exec(line)?.[1];
          if (marker !== undefined) this.#fence = { marker, isState: false };
        } else if (closes(line, this.#fence.marker)) this.#fence = null;
      }
    }
    this.#line = "";
    this.#given = 0;
    return shown;
  }
}

/** Whether a line closes a fence: the same sign, at least as often, and nothing behind it. */
function closes(line: string, marker: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === marker[0] && found.length >= marker.length;
}

/** Takes the state off a whole answer. */
export function splitAnswer(text: string): SplitAnswer {
  const block = new StateBlock();
  const shown = block.push(text);
  const end = block.end();
  const said = shown + end.said;
  return { said: end.block === null ? said : said.trimEnd(), block: end.block };
}
