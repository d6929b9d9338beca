import type { HandoffState, HandoffStep } from "../../model/handoff.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";

const SAYINGS: Readonly<Record<HandoffStep | HandoffState, string>> = {
  pending: "asked for",
  running: "under way",
  claimed: "taken by the gateway",
  threaded: "place opened",
  bound: "session bound",
  answered: "agent has answered",
  delivered: "delivered",
  completed: "completed",
  failed: "failed",
};

/** One line for a step: what was done, and how many milliseconds after the request. */
export function stepLine(output: Output, step: HandoffStep | HandoffState, elapsedMs: number): Styled {
  const { green, red, dim } = output.colors;
  const mark = step === "failed" ? red("✗") : green("✓");
  return styled`  ${mark} ${SAYINGS[step].padEnd(22)} ${dim(`${Math.max(0, Math.round(elapsedMs))} ms`)}`;
}
