import { oneLine } from "../../base/one-line.ts";
import type { RegionRows } from "../foot.ts";
import type { Output } from "../output.ts";
import { Styled, styled } from "../styled.ts";
import { EditBuffer } from "./edit-buffer.ts";
import type { Key } from "./keys.ts";
import { RawTerminal } from "./raw-terminal.ts";

/** What a person chooses from a list. */
export interface Choosable {
  readonly name: string;
  /** The text beside the name. */
  readonly facts: string;
  /** The number by which a command names it, too; its place in the list unless said. */
  readonly number?: number;
}

export interface PickerItem extends Choosable {
  /** The lines that are shown when it is the one that Enter takes. */
  preview(): Promise<readonly string[]>;
}

const HINT = "type to narrow the list · arrows choose · Enter takes it · Esc leaves";

/** The maximum number of rows of a preview. */
const PREVIEW_ROWS = 6;

/**
 * Lets the person choose from a list on the screen, with arrows or by a part of a name or its number. Null: none. When one
 * was chosen the terminal stays in raw mode: the chat that follows reads what is typed from then on.
 */
export function pick(output: Output, question: string, items: readonly PickerItem[]): Promise<PickerItem | null> {
  return new Promise((resolve) => {
    const picker = new Picker(output, question, items, (picked) => {
      picker.close({ staysRaw: picked !== null });
      resolve(picked);
    });
  });
}

class Picker {
  readonly #output: Output;
  readonly #question: string;
  readonly #items: readonly PickerItem[];
  readonly #done: (picked: PickerItem | null) => void;
  readonly #buffer = new EditBuffer();
  readonly #previews = new Map<PickerItem, readonly string[]>();
  readonly #regions: readonly Disposable[];
  readonly #terminal: RawTerminal;
  #fitting: readonly PickerItem[];
  #at = 0;
  #isDone = false;

  constructor(
    output: Output,
    question: string,
    items: readonly PickerItem[],
    done: (picked: PickerItem | null) => void,
  ) {
    const { foot } = output;
    this.#output = output;
    this.#question = question;
    this.#items = items;
    this.#fitting = items;
    this.#done = done;
    this.#terminal = new RawTerminal(output.io, foot, {
      onKey: (key) => this.#take(key),
      onPause: () => {
        this.#preview();
        foot.redraw();
      },
      onEnd: () => this.#end(null),
    });
    this.#regions = [
      foot.place("input", (width) => this.#drawQuestion(width)),
      foot.place("completion", (_, room) => ({ rows: this.#rows(room) })),
    ];
    this.#preview();
  }

  close({ staysRaw }: { readonly staysRaw: boolean }): void {
    if (staysRaw) this.#terminal.handOver();
    else this.#terminal[Symbol.dispose]();
    for (const region of this.#regions) region[Symbol.dispose]();
  }

  #end(picked: PickerItem | null): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.#done(picked);
  }

  #take(key: Key): boolean {
    if (key.type !== "chord") this.#narrow(() => this.#buffer.insert(key.text.replaceAll("\n", " ")));
    else this.#chord(key.chord);
    return !this.#isDone;
  }

  #chord(chord: string): void {
    const steps: Readonly<Record<string, number>> = {
      ...{ up: -1, "C-p": -1, "S-tab": -1, down: 1, "C-n": 1, tab: 1, "page-up": -10, "page-down": 10 },
    };
    const step = steps[chord];
    if (step !== undefined) this.#at = Math.max(0, Math.min(this.#at + step, this.#fitting.length - 1));
    else if (chord === "enter") this.#enter();
    else if (chord === "backspace") this.#narrow(() => this.#buffer.backspace());
    else if (chord === "C-u") this.#narrow(() => this.#buffer.replace(""));
    else if (chord === "C-z") this.#terminal.suspend();
    else if (["escape", "C-c", "C-d", "C-g"].includes(chord)) this.#end(null);
  }

  #enter(): void {
    const item = this.#fitting[this.#at];
    if (item !== undefined) this.#end(item);
  }

  /** The one of the number that was typed comes first, then those whose names contain it. */
  #narrow(edit: () => void): void {
    edit();
    const wanted = this.#buffer.text.trim().toLowerCase();
    const numbered = this.#items.find((item) => String(this.#numberOf(item)) === wanted);
    const named = this.#items.filter((item) => item !== numbered && item.name.toLowerCase().includes(wanted));
    this.#fitting = numbered ? [numbered, ...named] : named;
    this.#at = 0;
  }

  #numberOf(item: PickerItem): number {
    return item.number ?? this.#items.indexOf(item) + 1;
  }

  #preview(): void {
    const item = this.#fitting[this.#at];
    if (item === undefined || this.#previews.has(item)) return;
    this.#previews.set(item, []);
    item.preview().then(
      (lines) => {
        this.#previews.set(item, lines);
        this.#output.foot.redraw();
      },
      // The store may be busy: then there is no preview.
      () => {},
    );
  }

  #drawQuestion(width: number): RegionRows {
    const { cyan, dim } = this.#output.colors;
    const asked = Styled.from(`${this.#question} ${this.#buffer.text}`);
    const row = this.#buffer.text === "" ? styled`${cyan(asked)}${dim(`  ${HINT}`)}` : cyan(asked);
    return { rows: [row.ansi], cursor: { row: 0, column: Math.min(width - 1, [...String(asked)].length) } };
  }

  #rows(room: number): string[] {
    const { bold, dim } = this.#output.colors;
    if (this.#fitting.length === 0) return [dim("  Nothing fits; Backspace takes a letter back.").ansi];
    const preview = (this.#previews.get(this.#fitting[this.#at] as PickerItem) ?? []).slice(-PREVIEW_ROWS);
    const listed = Math.max(1, room - preview.length - 1);
    const first = Math.max(0, this.#at - listed + 1);
    const rows = this.#fitting.slice(first, first + listed).map((item, index) => {
      const isChosen = first + index === this.#at;
      const number = String(this.#numberOf(item)).padStart(3);
      const name = oneLine(item.name);
      return styled`${isChosen ? "›" : " "}${number}  ${isChosen ? bold(name) : name}  ${dim(item.facts)}`.ansi;
    });
    const shown = preview.map((line) => dim(styled`     │ ${oneLine(line)}`).ansi);
    return [...rows, ...(shown.length > 0 ? ["", ...shown] : [])].slice(0, room);
  }
}
