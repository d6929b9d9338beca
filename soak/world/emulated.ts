import type { EmulatedMessage, Emulator } from "@hermes/emulator";
import type { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { PlatformName } from "../plan/acts.ts";
import type { Scripted, ShownMessage, SoakPlatform, SoakSpot, Trouble } from "./soak-platform.ts";

export interface EmulatedParts {
  readonly name: PlatformName;
  readonly emulator: Emulator;
  readonly package: string;
  /** Besides those of the emulator. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly knowsFate: boolean;
  readonly renewal?: string;
  readonly places: readonly SoakSpot[];
  /** The id of a person who has never written before, by a number of theirs, for the places where several may write. */
  readonly newcomer?: (number: number) => string;
  /** Opens one more thread, for one that went away. */
  readonly openThread?: () => Promise<SoakSpot>;
  readonly scripted: readonly Scripted[];
  readonly troubles?: readonly Trouble[];
  /** Threads of these chats are looked into as well. */
  readonly threadedChats?: readonly string[];
  forget?(): void;
  heal?(): void;
  prepare?(machine: HermesMachine): Promise<void>;
}

/** As many threads of handoffs are written in at the same time, the latest. */
const MOST_FOLLOWED = 3;

/** A platform whose emulator runs in this process. */
export class EmulatedPlatform implements SoakPlatform {
  readonly name: PlatformName;
  readonly plugin: SoakPlatform["plugin"];
  readonly knowsFate: boolean;
  readonly renewal: string;
  readonly troubles: readonly Trouble[];
  readonly #parts: EmulatedParts;
  #places: SoakSpot[];
  #followed: SoakSpot[] = [];
  #newcomers = 0;
  /** Every thread that there was, and its chat. */
  readonly #threads = new Map<string, string>();

  constructor(parts: EmulatedParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.plugin = [parts.package, { ...parts.emulator.options, allowedUsers: ["*"], ...parts.options }];
    this.knowsFate = parts.knowsFate;
    this.renewal = parts.renewal ?? "/new";
    this.#places = [...parts.places];
    this.troubles = [...parts.scripted.map((failure) => this.#scripted(failure)), ...(parts.troubles ?? [])];
  }

  get prepare() {
    return this.#parts.prepare;
  }

  places(): readonly SoakSpot[] {
    return [...this.#places, ...this.#followed];
  }

  follow(place: SoakSpot): void {
    if (this.places().some((known) => known.chatId === place.chatId && known.threadId === place.threadId)) return;
    this.#followed = [...this.#followed, place].slice(-MOST_FOLLOWED);
  }

  async write(place: SoakSpot, text: string, byNewcomer = false): Promise<string> {
    const { emulator, newcomer } = this.#parts;
    const by = byNewcomer && place.mentions && newcomer ? { userId: newcomer(++this.#newcomers) } : {};
    try {
      return (await emulator.receive({ ...place, text, ...by })).messageId;
    } catch (error) {
      // A thread that is gone by now, by Hermes' hand or a person's: nobody writes there any more.
      await this.abandon(place);
      throw error;
    }
  }

  /** Nobody writes at a place any more; another thread is opened where it was one of the standing ones. */
  async abandon(gone: SoakSpot): Promise<void> {
    const stays = (place: SoakSpot) => place.threadId === undefined || place.threadId !== gone.threadId;
    const before = this.#places.length;
    this.#places = this.#places.filter(stays);
    this.#followed = this.#followed.filter(stays);
    if (this.#places.length < before && this.#parts.openThread) this.#places.push(await this.#parts.openThread());
  }

  async shown(): Promise<readonly ShownMessage[]> {
    const { emulator, threadedChats = [] } = this.#parts;
    // Not every chat where people write can be a home channel.
    const chats = new Set([...emulator.chats.map(({ id }) => id), ...this.#parts.places.map(({ chatId }) => chatId)]);
    const top = [...chats].flatMap((id) => toShown(id, undefined, emulator.messages(id)));
    // What was said in a thread stands there still where only the message that it hangs on is gone.
    for (const chatId of threadedChats) for (const { id } of emulator.threads(chatId)) this.#threads.set(id, chatId);
    const threads = [...this.#threads].flatMap(([id, chatId]) => toShown(chatId, id, emulator.messages(chatId, id)));
    return [...top, ...threads];
  }

  forget(): void {
    const { emulator } = this.#parts;
    this.#parts.forget?.();
    if (emulator.failures.some(({ is }) => is === "lose")) {
      emulator.fail({ operation: "deliver", times: Number.MAX_SAFE_INTEGER, kind: { is: "lose" } });
    }
  }

  heal(): void {
    this.#parts.emulator.heal();
    this.#parts.heal?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.emulator.close();
  }

  #scripted({ name, ...failure }: Scripted): Trouble {
    const { kind } = failure;
    const word = kind.is === "refuse" ? `refuse ${kind.code}` : kind.is;
    return {
      name: name ?? `${failure.operation}: ${word}${(failure.times ?? 1) > 1 ? ` ×${failure.times}` : ""}`,
      play: () => {
        this.#parts.emulator.fail(failure);
        return undefined;
      },
    };
  }
}

function toShown(chatId: string, threadId: string | undefined, messages: readonly EmulatedMessage[]): ShownMessage[] {
  const place = threadId === undefined ? chatId : `${chatId}/${threadId}`;
  return messages.map(({ id, author, text }) => ({ place, id, isBot: author === "bot", text }));
}

/** A send that is done and whose receipt is lost, one that meets a cut connection, an error, a limit; and edits. */
export function usualTroubles(refusedSends: readonly string[], refusedEdits: readonly string[] = []): Scripted[] {
  return [
    { operation: "send", kind: { is: "drop-answer" } },
    { operation: "send", kind: { is: "disconnect" } },
    { operation: "send", times: 2, kind: { is: "break" } },
    { operation: "connect", kind: { is: "disconnect" } },
    ...refusedSends.map((code) => ({ operation: "send", kind: { is: "refuse", code } }) as const),
    ...refusedEdits.map((code) => ({ operation: "edit", kind: { is: "refuse", code } }) as const),
    { operation: "deliver", kind: { is: "redeliver" } },
    { operation: "deliver", kind: { is: "out-of-order" } },
  ];
}

/** Where the platform has limits, and edits. */
export const LIMITS: readonly Scripted[] = [
  { operation: "send", kind: { is: "rate-limit", retryAfterMs: 2_000 } },
  { operation: "edit", kind: { is: "rate-limit", retryAfterMs: 1_500 } },
];

export const BAD_EDITS: readonly Scripted[] = [
  { operation: "edit", kind: { is: "drop-answer" } },
  { operation: "edit", kind: { is: "break" } },
];
