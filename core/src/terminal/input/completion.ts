import { visibleText } from "../../markdown/text-width.ts";
import type { Styles } from "../styled.ts";
import type { EditBuffer } from "./edit-buffer.ts";

interface CompletionOptions {
  readonly styles: Styles;
  complete(line: string): Promise<readonly string[]>;
  onChange(): void;
}

/** What a begun line may become: Tab completes what is common to all, shows them, and then takes one after the other. */
export class Completion {
  readonly #buffer: EditBuffer;
  readonly #options: CompletionOptions;
  #candidates: readonly string[] = [];
  #chosen = -1;

  constructor(buffer: EditBuffer, options: CompletionOptions) {
    this.#buffer = buffer;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#candidates.length > 0;
  }

  next(by: 1 | -1): void {
    const { length } = this.#candidates;
    if (length === 0) return void this.#ask(this.#buffer.text);
    this.#chosen = this.#chosen < 0 && by < 0 ? length - 1 : (this.#chosen + by + length) % length;
    this.#buffer.replace(this.#candidates[this.#chosen] ?? "");
  }

  /** Returns whether something was shown. */
  close(): boolean {
    const wasOpen = this.isOpen;
    this.#candidates = [];
    this.#chosen = -1;
    return wasOpen;
  }

  rows(room: number): string[] {
    const { dim, bold } = this.#options.styles;
    const first = Math.max(0, this.#chosen - room + 1);
    // Of a line that names a file only that is shown.
    const from = /(?<=^|\s)@[^@]*$/.exec(this.#candidates.reduce(commonStart, this.#candidates[0] ?? ""))?.index ?? 0;
    return this.#candidates
      .map((one) => one.slice(from))
      .slice(first, first + room)
      .map((one, at) => (first + at === this.#chosen ? bold(`› ${one}`) : dim(`  ${one}`)).ansi);
  }

  async #ask(line: string): Promise<void> {
    const found = (await this.#options.complete(line).catch(() => [])).map((one) =>
      visibleText(one).replaceAll("\n", " "),
    );
    // The person went on meanwhile.
    if (this.#buffer.text !== line || found.length === 0) return;
    const common = found.reduce(commonStart);
    if (found.length === 1 || common.length > line.length) this.#buffer.replace(common);
    if (found.length > 1) this.#candidates = found;
    this.#options.onChange();
  }
}

/** Never in the middle of a character of two units. */
function commonStart(one: string, other: string): string {
  const characters = [...one];
  const others = [...other];
  const differs = characters.findIndex((character, at) => character !== others[at]);
  return differs < 0 ? one : characters.slice(0, differs).join("");
}
