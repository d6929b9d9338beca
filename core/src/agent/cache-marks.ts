import type { ModelMessage, SystemModelMessage } from "ai";
import type { SystemPrompt } from "./system-prompt.ts";

/**
 * Tells Anthropic up to where a request is the same as one before or after it, so that it is read from the cache: other
 * providers find that out by themselves. There may be four marks. The first stands behind what no turn changes, and the
 * tools before it count as well.
 */
const MARK = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/** The system prompt with a mark behind what no turn changes. */
export function markedSystem({ stable, changing }: SystemPrompt): SystemModelMessage[] {
  return [
    { role: "system", content: stable, providerOptions: MARK },
    { role: "system", content: changing },
  ];
}

/**
 * The messages with a mark on the last one, where the next request of the turn goes on, and on the last two of people:
 * what a model thought in a turn is left out of the next one, which is therefore the same up to where that turn began.
 */
export function withMarks(messages: readonly ModelMessage[]): ModelMessage[] {
  const ofPeople = messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2);
  const marked = new Set([...ofPeople, messages.length - 1]);
  return messages.map((message, at) => (marked.has(at) ? { ...message, providerOptions: MARK } : message));
}
