import { StringDecoder } from "node:string_decoder";
import { pastedText } from "./pasted-text.ts";

/** Keyboard input. `chord` is a key's name with its modifiers: `left`, `C-a`, `M-enter`. */
export type Key =
  | { readonly type: "text"; readonly text: string }
  /** Pasted text, or a part of it, without control sequences. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "chord"; readonly chord: string };

/** What a terminal sends where it is asked to say that its window came to the front, or went to the back. */
export const [FOCUS_IN, FOCUS_OUT] = ["focus-in", "focus-out"] as const;

const ESCAPE = "\x1b";
const CTRL_C = "\x03";
const PASTE_BEGINS = "200~";
const PASTE_ENDS = "201~";

/** The longest key sequence; of a longer one, the first character is dropped. */
const LONGEST_SEQUENCE = 32;

const SEQUENCE = new RegExp(`^${ESCAPE}\\[([0-?]*)[ -/]*([@-~])`);
/** The beginning of a sequence whose rest has not come yet. */
const BEGUN = new RegExp(`^${ESCAPE}\\[[ -?]*$`);
const BEGUN_AT_END = new RegExp(`${ESCAPE}(?:\\[[ -?]{0,${LONGEST_SEQUENCE}})?$`);

const BY_LETTER: Readonly<Record<string, string>> = {
  ...{ A: "up", B: "down", C: "right", D: "left", H: "home", F: "end" },
};
const BY_NUMBER: Readonly<Record<string, string>> = {
  ...{ 1: "home", 3: "delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end" },
};
const BY_CODE: Readonly<Record<number, string>> = {
  ...{ 0: "C-space", 8: "backspace", 9: "tab", 13: "enter", 27: "escape", 31: "C-_", 127: "backspace" },
};

/**
 * The keys in what a terminal sends, however it is cut into chunks. They are read one by one, so that whoever stops
 * reading can hand on the rest.
 */
export class KeyDecoder {
  readonly #decoder = new StringDecoder("utf8");
  #text = "";
  #isPasting = false;
  /** The paste has just had a carriage return, whose line feed may follow. */
  #hadReturn = false;
  #isFirst = true;

  /** What comes next may have been typed while the terminal was in its line mode. */
  restart(): void {
    this.#isFirst = true;
  }

  feed(chunk: Buffer | string): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    // A paste whose end got lost would swallow every key. Of what is pasted, Ctrl-C never comes by itself.
    if (this.#isPasting && text !== "" && text.replaceAll(CTRL_C, "") === "") this.#isPasting = false;
    // What was typed before the terminal gave each key at once came through its line mode, where Enter is a line feed.
    this.#text += this.#isFirst && !text.includes(ESCAPE) ? text.replaceAll("\n", "\r") : text;
    this.#isFirst &&= text === "";
  }

  /** Whether it waits for the rest of a sequence, or Escape was pressed: after a moment without more, `settle` says so. */
  get isHeld(): boolean {
    return this.#text !== "" && !this.#isPasting;
  }

  /** Takes an Escape that stands there for the key. */
  settle(): Key | null {
    if (!this.isHeld) return null;
    const sequence = this.#text;
    this.#text = "";
    return { type: "chord", chord: sequence.length === 2 ? `M-${sequence[1]}` : "escape" };
  }

  /** The input that was fed and not read. */
  rest(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  /** The next key; null if none is complete yet. */
  next(): Key | null {
    for (;;) {
      if (this.#text === "") return null;
      const key = this.#isPasting ? this.#pasted() : this.#typed();
      if (key !== undefined) return key;
    }
  }

  /** Undefined: something was taken that is no key. */
  #typed(): Key | null | undefined {
    const [run] = /^[^\p{Cc}]+/u.exec(this.#text) ?? [];
    if (run !== undefined) {
      this.#take(run.length);
      return { type: "text", text: run };
    }
    if (!this.#text.startsWith(ESCAPE)) return this.#control(this.#take(1), "");
    const [, second] = this.#text;
    if (second === undefined) return null;
    if (second === "[") return this.#sequence();
    if (second === "O") {
      const letter = this.#text[2];
      if (letter === undefined) return null;
      this.#take(3);
      return chordOf("", BY_LETTER[letter]);
    }
    if (second === ESCAPE) {
      this.#take(1);
      return chordOf("", "escape");
    }
    this.#take(1);
    if (/\p{Cc}/u.test(second)) return this.#control(this.#take(1), "M-");
    const [letter = ""] = this.#text;
    this.#take(letter.length);
    return chordOf("M-", letter);
  }

  #sequence(): Key | null | undefined {
    const found = SEQUENCE.exec(this.#text);
    if (found === null) {
      if (this.#text.length < LONGEST_SEQUENCE && BEGUN.test(this.#text)) return null;
      this.#take(2);
      return undefined;
    }
    const [whole, parameters = "", final = ""] = found;
    this.#take(whole.length);
    if (`${parameters}${final}` === PASTE_BEGINS) {
      this.#isPasting = true;
      this.#hadReturn = false;
      return undefined;
    }
    return keyOf(parameters.split(";"), final);
  }

  #control(character: string, held: string): Key | undefined {
    const code = character.charCodeAt(0);
    const name = BY_CODE[code];
    if (name !== undefined) return chordOf(held, name);
    return code < 27 ? chordOf(held, `C-${String.fromCharCode(code + 96)}`) : undefined;
  }

  #pasted(): Key | null | undefined {
    const text = this.#text;
    const end = text.indexOf(`${ESCAPE}[${PASTE_ENDS}`);
    if (end >= 0) {
      this.#take(end + PASTE_ENDS.length + 2);
      this.#isPasting = false;
      return this.#pastedKey(text.slice(0, end));
    }
    const begun = BEGUN_AT_END.exec(text)?.index ?? text.length;
    if (begun === 0) return null;
    this.#take(begun);
    return this.#pastedKey(text.slice(0, begun));
  }

  #pastedKey(raw: string): Key | undefined {
    const text = pastedText(this.#hadReturn ? raw.replace(/^\n/, "") : raw);
    this.#hadReturn = raw.endsWith("\r");
    return text === "" ? undefined : { type: "paste", text };
  }

  #take(length: number): string {
    const taken = this.#text.slice(0, length);
    this.#text = this.#text.slice(length);
    return taken;
  }
}

function chordOf(held: string, name: string | undefined): Key | undefined {
  return name === undefined ? undefined : { type: "chord", chord: `${held}${name}` };
}

/** A key that comes as a sequence: of the VT220, with xterm's modifiers, or as kitty's protocol has it. */
function keyOf(parameters: readonly string[], final: string): Key | undefined {
  const [first = "", second] = parameters;
  if (parameters.join("") === "" && final === "I") return chordOf("", FOCUS_IN);
  if (parameters.join("") === "" && final === "O") return chordOf("", FOCUS_OUT);
  if (final === "Z") return chordOf("S-", "tab");
  const held = heldOf(second);
  if (final === "u") return keyOfCode(Number.parseInt(first, 10), held);
  if (final === "~" && first === "27") return keyOfCode(Number(parameters[2]), held);
  if (final === "~") return chordOf(held, BY_NUMBER[first]);
  return chordOf(held, BY_LETTER[final]);
}

function keyOfCode(code: number, held: string): Key | undefined {
  const name = BY_CODE[code];
  if (name !== undefined) return chordOf(held, name);
  if (!(code >= 32 && code < 0xe000)) return undefined;
  const character = String.fromCharCode(code);
  if (held === "" || held === "S-") return { type: "text", text: character };
  return chordOf(held.replace("S-", ""), character);
}

/** xterm encodes modifiers as 1 plus a sum: shift 1, alt 2, control 4. */
function heldOf(parameter: string | undefined): string {
  const bits = (Number.parseInt(parameter ?? "1", 10) || 1) - 1;
  return `${bits & 4 ? "C-" : ""}${bits & 2 ? "M-" : ""}${bits & 1 ? "S-" : ""}`;
}
