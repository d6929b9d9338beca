import type { NewMessage } from "./transcript.ts";

export interface TodoItem {
  readonly text: string;
  readonly state: "open" | "doing" | "done";
}

/** The tool that keeps the list: its last call is the list. */
const TODO = "todo";

/** The list of what is to be done, as the session's last call of `todo` has it; empty where there is none. */
export function todoListOf(messages: readonly Pick<NewMessage, "toolCalls">[]): readonly TodoItem[] {
  return lastList(messages) ?? [];
}

/** Whether a list was written, even an empty one. */
export function hasTodoList(messages: readonly Pick<NewMessage, "toolCalls">[]): boolean {
  return lastList(messages) !== null;
}

function lastList(messages: readonly Pick<NewMessage, "toolCalls">[]): readonly TodoItem[] | null {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls).filter(({ name }) => name === TODO);
  for (const { input } of calls.reverse()) {
    const items = Object(input).items;
    if (Array.isArray(items) && items.every(isItem)) return items;
  }
  return null;
}

function isItem(value: unknown): value is TodoItem {
  const { text, state } = Object(value);
  return typeof text === "string" && (state === "open" || state === "doing" || state === "done");
}
