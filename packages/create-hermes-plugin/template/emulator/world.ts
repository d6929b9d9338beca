import type { EmulatedPerson } from "@hermes/emulator";

export const BOT = { id: "u-bot", name: "Hermes", isBot: true };

export const PEOPLE: readonly EmulatedPerson[] = [
  { id: "u-ada", name: "Ada" },
  { id: "u-grace", name: "Grace" },
];

/** The chats that are there from the start. */
export const CHATS = { private: "c-ada", team: "c-team", lobby: "c-lobby" } as const;

/** A message, by whoever wrote it. */
export interface StoredMessage {
  readonly id: string;
  readonly threadId: string | undefined;
  readonly from: { readonly id: string; readonly name: string; readonly isBot: boolean };
  readonly sentAt: number;
  readonly mentions: readonly string[];
  readonly forwardedFrom: string | undefined;
  text: string;
  /** What the API was given for it. */
  raw: unknown;
  isEdited: boolean;
}

/** A chat with all that is in it. */
export interface Chat {
  readonly id: string;
  readonly name: string;
  readonly isPrivate: boolean;
  /** The ids of those who are in it beside the bot. */
  readonly people: readonly string[];
  readonly hasThreads: boolean;
  readonly threads: { readonly id: string; readonly name: string }[];
  readonly messages: StoredMessage[];
}

/** What Acme knows. */
export class World {
  readonly #chats = new Map<string, Chat>();
  #nextId = 1;

  constructor() {
    this.#add({ id: CHATS.private, name: "Ada", isPrivate: true, people: ["u-ada"] });
    this.#add({
      ...{ id: CHATS.team, name: "Team", isPrivate: false, people: ["u-ada", "u-grace"] },
      // #if threads
      hasThreads: true,
      threads: [{ id: "t-plans", name: "Plans" }],
      // #end
    });
    this.#add({ id: CHATS.lobby, name: "Lobby", isPrivate: false, people: ["u-ada", "u-grace"] });
  }

  get chats(): readonly Chat[] {
    return [...this.#chats.values()];
  }

  chat(id: string): Chat | undefined {
    return this.#chats.get(id);
  }

  newId(prefix: string): string {
    return `${prefix}-${this.#nextId++}`;
  }

  #add(chat: Pick<Chat, "id" | "name" | "isPrivate" | "people"> & Partial<Chat>): void {
    this.#chats.set(chat.id, { hasThreads: false, threads: [], messages: [], ...chat });
  }
}
