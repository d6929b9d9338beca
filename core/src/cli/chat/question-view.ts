import { withNumbers } from "../../base/hidden-text.ts";
import { clip } from "../../command/words.ts";
import type { Approval } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";
import type { Output } from "../../terminal/output.ts";
import { renderForTerminal } from "../../terminal/render-markdown.ts";
import { Styled, styled } from "../../terminal/styled.ts";
import { diffLine } from "./diff-lines.ts";

export type ShownQuestion = Pick<
  Approval,
  "code" | "kind" | "tool" | "summary" | "detail" | "rules" | "answers" | "messages"
>;

const TITLES = {
  call: "The agent asks to do this",
  question: "The agent asks you",
  limit: "A limit is reached",
} as const;

/**
 * What a question asks, as lines that stay: the whole call, with a diff in colours and hidden characters by their
 * numbers, then what is said of it at every place.
 */
export function questionLines(
  output: Output,
  question: ShownQuestion,
  { at, of }: { readonly at: number; readonly of: number },
): readonly (string | Styled)[] {
  const { bold, dim, yellow } = output.colors;
  const number = of > 1 ? ` (${at} of ${of})` : "";
  const title = TITLES[question.kind];
  const { columns, color } = output.io;
  const about = renderForTerminal(aboutQuestion(question), { width: columns(), color });
  return [
    "",
    yellow(bold(`── ${title}${number} ──`)),
    ...detailLines(output, question),
    Styled.rendered(about),
    ...question.rules.map((rule) => styled`${dim("s and a allow:")} ${withNumbers(rule)}`),
  ];
}

/** The message that asks, without how it is answered in a chat: its last paragraph. */
function aboutQuestion({ messages, ...question }: ShownQuestion): string {
  const markdown = messages.at(-1)?.markdown ?? askedText(question);
  const parts = markdown.split("\n\n");
  return (parts.length > 1 ? parts.slice(0, -1) : parts).join("\n\n");
}

function detailLines(output: Output, { kind, detail, summary }: ShownQuestion): Styled[] {
  // What is said of a limit begins with it.
  if (kind === "limit") return [];
  const text = detail.trimEnd();
  if (text.trim() === "" || text.trim() === summary) return [];
  const { dim } = output.colors;
  const isDiff = /^@@ -\d/m.test(text);
  // The bar tells what is asked from what Hermes says of it.
  return text.split("\n").map((line) => {
    return styled`${dim("│")} ${isDiff ? diffLine(output.colors, line) : withNumbers(line)}`;
  });
}

/** The question on one row, for when what was printed has scrolled away. */
export function questionRow(output: Output, question: ShownQuestion): Styled {
  const width = output.io.columns() - question.code.length - 4;
  const text = clip(withNumbers(askedText(question)), width);
  return styled`${output.colors.yellow(text)} ${output.colors.dim(question.code)}`;
}
