import type { Shape } from "./plan/acts.ts";

/** A part of an answer, as it is recognised on every platform, whatever became of the formatting. */
export interface Mark {
  readonly token: string;
  readonly part: number;
  readonly of: number;
  /** Which of the model's answers it is a part of: a turn that ran twice has two. */
  readonly answer: number;
}

const MARK = /\(([a-z]-[a-z]{2}-\d{5}) part (\d+) of (\d+) of answer (\d+)\)/g;

const TOKEN = /\b[a-z]-[a-z]{2}-\d{5}\b/g;

/** Long enough that fourteen of them are several messages on every platform. */
const FILLER =
  "All of this was looked at, and it stands as it stood before, with nothing left to be done about it now. ".repeat(4);

/** What the model says: each paragraph ends with a mark. `answer` tells two answers to one question apart. */
export function answerText(token: string, { paragraphs }: Pick<Shape, "paragraphs">, answer: number): string {
  return Array.from({ length: paragraphs }, (_, i) => {
    const filler = paragraphs > 1 ? FILLER : "";
    return `So it is. ${filler}(${token} part ${i + 1} of ${paragraphs} of answer ${answer})`;
  }).join("\n\n");
}

/** What a person writes. */
export function questionText(token: string): string {
  return `${token} Where does this stand?`;
}

export function marksIn(text: string): Mark[] {
  return [...text.matchAll(MARK)].map(([, token = "", part, of, answer]) => ({
    token,
    part: Number(part),
    of: Number(of),
    answer: Number(answer),
  }));
}

/** Tokens that are named other than by a mark: in a notice about a message, say. */
export function tokensNamedIn(text: string): string[] {
  return [...new Set([...text.replaceAll(MARK, "").matchAll(TOKEN)].map(([token]) => token))];
}

/** The tokens of any kind in a text, in order. */
export function tokensIn(text: string): string[] {
  return [...text.matchAll(TOKEN)].map(([token]) => token);
}
