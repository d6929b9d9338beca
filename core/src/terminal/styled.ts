import picocolors from "picocolors";
import { visibleText } from "../markdown/text-width.ts";

/**
 * Text for the terminal with Hermes' own styles. Its escape sequences are the only ones that reach a terminal: every
 * string that is put into it may come from anybody, and is made safe.
 */
export class Styled {
  /** The text with its escape sequences. */
  readonly ansi: string;
  readonly #plain: string;

  private constructor(ansi: string, plain: string) {
    this.ansi = ansi;
    this.#plain = plain;
  }

  /** Wraps the output of a renderer that makes text safe itself. */
  static rendered(ansi: string): Styled {
    return new Styled(ansi, ansi);
  }

  static from(text: string | Styled): Styled {
    if (text instanceof Styled) return text;
    const safe = visibleText(text);
    return new Styled(safe, safe);
  }

  static join(parts: readonly (string | Styled)[]): Styled {
    const safe = parts.map(Styled.from);
    return new Styled(safe.map(({ ansi }) => ansi).join(""), safe.join(""));
  }

  in(style: (text: string) => string): Styled {
    return new Styled(style(this.ansi), this.#plain);
  }

  /** The text without styles: put into an ordinary string, it loses them and stays safe. */
  toString(): string {
    return this.#plain;
  }
}

/** A template tag that makes its values safe: output.line(styled`${bold(title)} → ${platform}`). */
export function styled(strings: TemplateStringsArray, ...values: (string | number | Styled)[]): Styled {
  return Styled.join(
    strings.flatMap((text, at) => {
      const value = values[at] ?? "";
      return [text, value instanceof Styled ? value : String(value)];
    }),
  );
}

const NAMES = ["bold", "dim", "red", "green", "yellow", "cyan"] as const;

export type Styles = Readonly<Record<(typeof NAMES)[number], (text: string | Styled) => Styled>>;

export function createStyles(color: boolean): Styles {
  const colors = picocolors.createColors(color);
  const entries = NAMES.map((name) => [name, (text: string | Styled) => Styled.from(text).in(colors[name])]);
  return Object.fromEntries(entries) as Styles;
}
