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
  const marked = markedAmong(messages);
  return messages.map((message, at) => (marked.has(at) ? { ...message, providerOptions: MARK } : message));
}

function markedAmong(messages: readonly { readonly role: string }[]): Set<number> {
  const ofPeople = messages.flatMap(({ role }, at) => (role === "user" ? [at] : [])).slice(-2);
  return new Set([...ofPeople, messages.length - 1]);
}

/** A request by OpenAI's chat completions, as far as marks stand in it. */
interface ChatBody {
  readonly messages: readonly ChatMessage[];
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * The same marks in a request to OpenRouter, which hands them on to Anthropic: on texts of the system prompt and of people,
 * and on the whole of a tool's result (OpenRouter's guide "Prompt caching", and its own AI SDK provider). The system prompt
 * is what {@link markedSystem} gives.
 */
export function withOpenRouterMarks(body: Record<string, unknown>): Record<string, unknown> {
  const { messages } = body as Partial<ChatBody>;
  if (messages === undefined) return body;
  const first = messages.findIndex(({ role }) => role !== "system");
  const system = messages.slice(0, first).map(({ content }, at) => ({
    ...{ type: "text", text: content },
    ...(at === 0 ? CHAT_MARK : {}),
  }));
  const said = messages.slice(first);
  const marked = markedAmong(said);
  const rest = said.map((message, at) => (marked.has(at) ? withChatMark(message) : message));
  return { ...body, messages: [{ role: "system", content: system }, ...rest] };
}

const CHAT_MARK = { cache_control: { type: "ephemeral" } } as const;

function withChatMark(message: ChatMessage): ChatMessage {
  const { role, content } = message;
  if (role !== "user") return { ...message, ...CHAT_MARK };
  if (typeof content === "string") return { ...message, content: [{ type: "text", text: content, ...CHAT_MARK }] };
  if (!Array.isArray(content)) return message;
  const last = content.findLastIndex(({ type }) => type === "text");
  return { ...message, content: content.map((part, at) => (at === last ? { ...part, ...CHAT_MARK } : part)) };
}
