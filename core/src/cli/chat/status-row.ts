import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { inject, Lifecycle, scoped } from "tsyringe";
import { oneLine } from "../../base/one-line.ts";
import { columnsOf } from "../../markdown/text-width.ts";
import { NO_MODEL } from "../../model/model-choice.ts";
import type { SessionMode } from "../../model/session.ts";
import { meaningOf } from "../../model/session-mode.ts";
import type { Output } from "../../terminal/output.ts";
import { Styled } from "../../terminal/styled.ts";
import { OUTPUT } from "./tokens.ts";

/** What the row below the prompt says of the session. */
export interface StatusFacts {
  readonly mode: SessionMode;
  /** It was just changed: the row says what it means, and nothing else. */
  readonly isNewMode: boolean;
  /** `<provider>/<model>`; null where none is set. */
  readonly model: string | null;
  /** How much of the model's window is used: `34 % of 200k`; null where it is not known. */
  readonly window: string | null;
  readonly folder: string | null;
  /** Where else the session is open: `in another terminal`. */
  readonly elsewhere: readonly string[];
}

/** What is left out first where the row is too long. */
const LEFT_OUT = ["folder", "window", "model"] as const;

/**
 * The row below the prompt: mode, model, how full its window is, folder, and where else the session is open. It never
 * takes a second row, and is drawn again only where it has changed.
 */
@scoped(Lifecycle.ContainerScoped)
export class StatusRow implements Disposable {
  #facts: StatusFacts = { mode: "default", isNewMode: false, model: null, window: null, folder: null, elsewhere: [] };
  #region: Disposable | null = null;

  constructor(@inject(OUTPUT) readonly output: Output) {}

  get facts(): StatusFacts {
    return this.#facts;
  }

  set(facts: Partial<StatusFacts>): void {
    const before = this.#facts;
    this.#facts = { ...before, ...facts };
    if (this.#region === null) {
      // Nothing is known of the session yet.
      if (facts.folder === undefined) return;
      this.#region = this.output.foot.place("mode", (width) => ({ rows: [this.#row(width)] }));
    } else if (JSON.stringify(before) !== JSON.stringify(this.#facts)) this.output.foot.redraw();
  }

  [Symbol.dispose](): void {
    this.#region?.[Symbol.dispose]();
    this.#region = null;
  }

  #row(width: number): string {
    const parts = this.#parts();
    for (const name of LEFT_OUT) {
      if (columnsOf(stripVTControlCharacters(joined(parts, this.output).ansi)) < width) break;
      delete parts[name];
    }
    return joined(parts, this.output).ansi;
  }

  #parts(): Record<string, string | Styled | undefined> {
    const { mode, isNewMode, model, window, folder, elsewhere } = this.#facts;
    const { cyan } = this.output.colors;
    if (isNewMode) return { mode: cyan(mode), hint: `Shift-Tab changes it · ${meaningOf(mode)}` };
    return {
      mode: mode === "default" ? undefined : cyan(mode),
      model: model ?? NO_MODEL,
      window: window ?? undefined,
      elsewhere: elsewhere.length === 0 ? undefined : `also open ${elsewhere.join(", ")}`,
      folder: folder === null ? undefined : shortFolder(folder),
    };
  }
}

function joined(parts: Record<string, string | Styled | undefined>, { colors }: Output): Styled {
  const shown = Object.values(parts).filter((part) => part !== undefined);
  const texts = shown.map((part) => (typeof part === "string" ? colors.dim(oneLine(part)) : part));
  return Styled.join(texts.flatMap((text, at) => (at === 0 ? [text] : [colors.dim(" · "), text])));
}

/** A folder from the person's own: `~/work/app`. */
function shortFolder(folder: string): string {
  const way = relative(homedir(), folder);
  if (way === "") return "~";
  return way === ".." || way.startsWith(`..${sep}`) ? folder : `~${sep}${way}`;
}
