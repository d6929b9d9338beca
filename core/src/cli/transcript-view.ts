import { clip } from "../command/words.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { Surface } from "../model/session.ts";
import { shownCall, type TranscriptMessage } from "../model/transcript.ts";
import type { TurnId } from "../model/turn.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import type { Output } from "../terminal/output.ts";
import { renderForTerminal } from "../terminal/render-markdown.ts";
import { Styled } from "../terminal/styled.ts";

/** Messages of a transcript as lines for people: who said what, and where. */
export interface TranscriptView {
  render(messages: readonly TranscriptMessage[]): Promise<readonly (string | Styled)[]>;
}

export function createTranscriptView(output: Output, store: Store): TranscriptView {
  const { dim, bold } = output.colors;
  const places = new Map<TurnId, Surface>();

  return {
    async render(messages) {
      const rendered: (string | Styled)[] = [];
      let lastPlace = "";
      for (const message of messages) {
        const lines = linesOf(message);
        if (lines.length === 0) continue;
        const place = await placeOf(message);
        if (place !== lastPlace) rendered.push("", dim(`── ${place} ──`));
        lastPlace = place;
        rendered.push(...lines);
      }
      return rendered;
    },
  };

  function linesOf({ role, text, internal, toolCalls }: TranscriptMessage): Styled[] {
    // A tool's result and what Hermes tells the agent are not what people said to each other.
    if (role === "tool" || (role === "user" && internal)) return [];
    if (internal) return [dim(withReadableMarks(text))];
    if (role === "user") return [bold(`› ${withReadableMarks(text)}`)];
    const calls = (toolCalls ?? [])
      .map(shownCall)
      .map((call) => dim(`· ${call.name} ${clip(JSON.stringify(call.input ?? {}), 80)}`));
    const { color, columns } = output.io;
    if (text.trim() === "") return calls;
    return [Styled.rendered(renderForTerminal(text, { width: columns(), color }).trimEnd()), ...calls];
  }

  /** An answer is said where its turn was asked for. */
  async function placeOf({ surface, turnId }: TranscriptMessage): Promise<string> {
    if (surface && turnId) places.set(turnId, surface);
    const known = surface ?? (turnId === null ? "terminal" : places.get(turnId));
    const found = known ?? (turnId === null ? null : await store.turns.get(turnId))?.surface ?? "terminal";
    if (turnId) places.set(turnId, found);
    return lookUpPlace(store.bindings, found);
  }
}
