import type { Conversation } from "../adapter/conversation.ts";
import { withoutAttached, withReadableMarks } from "../model/mark.ts";
import type { Surface } from "../model/session.ts";
import { shownCall, type ToolCall, type TranscriptMessage } from "../model/transcript.ts";
import type { Turn, TurnId } from "../model/turn.ts";
import { lookUpPlace } from "../store/look-up-place.ts";
import type { Store } from "../store/store.ts";
import type { Output } from "../terminal/output.ts";
import { renderForTerminal } from "../terminal/render-markdown.ts";
import { Styled } from "../terminal/styled.ts";
import { callLine } from "./chat/tool-view.ts";

/** Messages of a transcript as lines for people: who said what, and where. */
export interface TranscriptView {
  /** The place stands above the first message from it, unless that continues what was rendered last. */
  render(messages: readonly TranscriptMessage[]): Promise<readonly (string | Styled)[]>;
  /** Something else was printed: the place of the next message is said again. */
  interrupt(): void;
  /** Where a turn was asked for, and in a private chat by whom: `on pager, Ada`. */
  placeOf(turn: Pick<Turn, "surface" | "author">): Promise<string>;
}

/** `summaryOf`: what a call does, on one line; empty where that is not known. */
export function createTranscriptView(
  output: Output,
  store: Store,
  summaryOf: (call: ToolCall) => Promise<string> = () => Promise.resolve(""),
): TranscriptView {
  const { dim, bold } = output.colors;
  const places = new Map<TurnId | Surface, string>();
  let lastPlace = "";

  return {
    async render(messages) {
      const rendered: (string | Styled)[] = [];
      for (const message of messages) {
        const lines = await linesOf(message);
        if (lines.length === 0) continue;
        const place = await placeOfMessage(message);
        if (place !== lastPlace) rendered.push("", dim(`── ${place} ──`));
        lastPlace = place;
        rendered.push(...lines);
      }
      return rendered;
    },
    interrupt() {
      lastPlace = "";
    },
    placeOf,
  };

  async function linesOf({ role, text, internal, toolCalls }: TranscriptMessage): Promise<Styled[]> {
    // A tool's result and what Hermes tells the agent are not what people said to each other.
    if (role === "tool" || (role === "user" && internal)) return [];
    if (internal) return [dim(output.asCalled(withReadableMarks(text)))];
    if (role === "user") return [bold(`› ${withReadableMarks(withoutAttached(text))}`)];
    const { color, columns } = output.io;
    const calls: Styled[] = [];
    for (const call of (toolCalls ?? []).map(shownCall))
      calls.push(dim(callLine(call, await summaryOf(call), columns())));
    if (text.trim() === "") return calls;
    return [Styled.rendered(renderForTerminal(text, { width: columns(), color }).trimEnd()), ...calls];
  }

  /** An answer is said where its turn was asked for. */
  async function placeOfMessage({ surface, turnId }: TranscriptMessage): Promise<string> {
    if (turnId === null) return placeOf({ surface: surface ?? "terminal", author: null });
    const known = places.get(turnId);
    if (known !== undefined) return known;
    const turn = await store.turns.get(turnId);
    const place = await placeOf({ surface: surface ?? turn?.surface ?? "terminal", author: turn?.author ?? null });
    places.set(turnId, place);
    return place;
  }

  async function placeOf({ surface, author }: Pick<Turn, "surface" | "author">): Promise<string> {
    const conversation = surface === "terminal" ? null : await conversationOf(surface);
    const place = await lookUpPlace(store, surface);
    // In a group each message says whose it is.
    const name = conversation?.kind !== "dm" || author === null || author === "terminal" ? "" : (author.name ?? "");
    return name === "" ? place : `${place}, ${name}`;
  }

  async function conversationOf(surface: Exclude<Surface, "terminal">): Promise<Conversation | null> {
    return (await store.bindings.get(surface))?.conversation ?? null;
  }
}
