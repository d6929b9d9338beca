import { sayAgo } from "../../command/words.ts";
import type { Hop } from "../../model/session-way.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";

/** The way of a session, a line for each hop: from where to where, when, and the link or why it failed. */
export function wayLines({ colors }: Output, way: readonly Hop[], now: number): Styled[] {
  return way.map(({ from, to, at, state, link, error }) => {
    const end = state === "failed" ? `failed: ${error?.text ?? ""}` : state === "completed" ? (link ?? "") : state;
    return styled`  ${from} → ${to}  ${colors.dim(`${sayAgo(now, at)}${end === "" ? "" : `  ${end}`}`)}`;
  });
}
