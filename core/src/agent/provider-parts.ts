import type { AssistantContent, ProviderMetadata } from "ai";
import type { ProviderParts } from "../model/transcript.ts";

type Part = Exclude<AssistantContent, string>[number];
type ReasoningPart = Extract<Part, { type: "reasoning" }>;

/** What stands in `ProviderParts.parts`. */
interface StoredParts {
  readonly reasoning: readonly Pick<ReasoningPart, "text" | "providerOptions">[];
  /** Of the text, if the message has one. */
  readonly text?: ProviderMetadata | undefined;
  /** Of each call, in order; null where it has nothing. */
  readonly calls: readonly (ProviderMetadata | null)[];
}

/** Collects what a provider wants back with one message, while the message streams in. */
export class ProviderPartsCollector {
  readonly #reasoning = new Map<string, { text: string; providerOptions?: ProviderMetadata }>();
  readonly #calls: (ProviderMetadata | null)[] = [];
  #text: ProviderMetadata | undefined;

  reasoning(id: string, delta: string, metadata: ProviderMetadata | undefined): void {
    const known = this.#reasoning.get(id) ?? { text: "" };
    const providerOptions = metadata ?? known.providerOptions;
    this.#reasoning.set(id, { text: known.text + delta, ...(providerOptions && { providerOptions }) });
  }

  text(metadata: ProviderMetadata | undefined): void {
    this.#text = metadata ?? this.#text;
  }

  call(metadata: ProviderMetadata | undefined): void {
    this.#calls.push(metadata ?? null);
  }

  /** Undefined where the provider wants nothing back. */
  end(model: string): ProviderParts | undefined {
    const reasoning = [...this.#reasoning.values()].filter(
      ({ text, providerOptions }) => text !== "" || providerOptions,
    );
    const isNothing = reasoning.length === 0 && this.#text === undefined && this.#calls.every((one) => one === null);
    if (isNothing) return undefined;
    const stored: StoredParts = { reasoning, text: this.#text, calls: this.#calls };
    return { model, parts: JSON.stringify(stored) };
  }
}

/** Puts what the provider wants back into a message of its model: reasoning goes first. */
export function withProviderParts(content: readonly Part[], { parts }: ProviderParts): Part[] {
  const stored = JSON.parse(parts) as StoredParts;
  let calls = 0;
  const own = content.map((part): Part => {
    if (part.type !== "text" && part.type !== "tool-call") return part;
    const providerOptions = part.type === "text" ? stored.text : stored.calls[calls++];
    return providerOptions ? { ...part, providerOptions } : part;
  });
  return [...stored.reasoning.map((part): Part => ({ type: "reasoning", ...part })), ...own];
}
