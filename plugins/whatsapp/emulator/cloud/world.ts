import { createHash } from "node:crypto";
import type { Clock } from "@hermes/core";
import type { EmulatedMessage } from "@hermes/emulator";

/** Somebody with WhatsApp, and the chat between them and the business number. */
export interface Person {
  number: string;
  /** The id that hides the number. */
  userId: string;
  name: string;
  /** Has taken a username: webhooks no longer tell the number. */
  hidesNumber: boolean;
  /** Wrote within the last 24 hours, so that anything may be sent. */
  isWindowOpen: boolean;
  readonly messages: StoredMessage[];
}

interface StoredMessage extends EmulatedMessage {
  text: string;
  isEdited: boolean;
}

export interface Template {
  readonly name: string;
  readonly language: string;
  /** With `{{1}}` where the text goes. */
  readonly body: string;
}

export interface StoredMedia {
  readonly id: string;
  readonly mediaType: string;
  readonly name: string;
  readonly content: Buffer;
}

export interface EmulatedCommand {
  readonly command_name: string;
  readonly command_description: string;
}

export const BUSINESS = {
  phoneNumberId: "106540352242922",
  accountId: "102290129340398",
  number: "15550783881",
} as const;

/** The app that the token belongs to, as its page has it. */
export interface EmulatedApp {
  readonly id: string;
  readonly name: string;
  /** When the token ends, in seconds since 1970; 0 for never. */
  tokenExpiresAt: number;
  /** What the token may do. */
  scopes: readonly string[];
  /** Whether it is told what happens in the WhatsApp account. */
  isSubscribed: boolean;
  /** Where Meta sends webhooks; null before somebody entered it. */
  callbackUrl: string | null;
  /** How people take the number: `GREEN`, `YELLOW`, `RED`, or `UNKNOWN`. */
  quality: string;
}

/** What Meta keeps: people, messages, files, templates. */
export class World {
  readonly clock: Clock;
  readonly #people = new Map<string, Person>();
  readonly media = new Map<string, StoredMedia>();
  readonly templates: Template[] = [];
  commands: readonly EmulatedCommand[] = [];
  readonly app: EmulatedApp = {
    id: "670843887433847",
    name: "Hermes for Ada",
    tokenExpiresAt: 0,
    scopes: ["whatsapp_business_management", "whatsapp_business_messaging"],
    isSubscribed: true,
    callbackUrl: null,
    quality: "GREEN",
  };
  #ids = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get people(): readonly Person[] {
    return [...this.#people.values()];
  }

  /** The time as webhooks have it: seconds since 1970. */
  seconds(): string {
    return String(Math.floor(this.clock.now() / 1_000));
  }

  /** The person with a chat id: the number that they had at first. */
  person(chatId: string): Person {
    const person = this.#people.get(chatId);
    if (person === undefined) throw new Error(`there is no chat ${chatId}`);
    return person;
  }

  /** By a number, or by the id that hides one. */
  find(address: string): Person | undefined {
    const wanted = address.replace(/^\+/, "");
    return this.people.find(({ number, userId }) => number === wanted || userId === wanted);
  }

  add(number: string, name: string): Person {
    const digits = createHash("sha256").update(number).digest().readBigUInt64BE().toString();
    const person: Person = {
      number,
      userId: `DE.${digits}`,
      name,
      hidesNumber: false,
      isWindowOpen: true,
      messages: [],
    };
    this.#people.set(number, person);
    return person;
  }

  newMessageId(number: string): string {
    return `wamid.${Buffer.from(`${number}:${++this.#ids}`).toString("base64")}`;
  }

  addMedia(file: Omit<StoredMedia, "id">): StoredMedia {
    const media = { id: String(1_013_859_600_000_000 + ++this.#ids), ...file };
    this.media.set(media.id, media);
    return media;
  }
}
