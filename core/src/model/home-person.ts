import type { SessionKey } from "../adapter/session-key.ts";

/** The home channel of a platform account, by the chat id that the config or /sethome has for it. */
export interface HomeName {
  readonly platform: string;
  readonly account: string | undefined;
  readonly home: string;
}

/** Who is the operator in a private home channel: recorded when it became that, and changed by nobody's message. */
export interface HomePerson extends HomeName {
  /** The key of the chat that it was then. Where the name leads to another chat later, nobody is operator there. */
  readonly chat: SessionKey;
  /** What people call it, where it has a name. */
  readonly name: string | null;
  /** Whether it is a private chat by the platform's latest word. In others nobody is the operator because of the place. */
  readonly isPrivate: boolean;
  /** The person's id, or name where the platform knows people by several ids; null while nobody is the operator there. */
  readonly person: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** From which word. */
  readonly word: "platform" | "sethome" | "terminal";
  /** Who is there by the platform's latest word. */
  readonly present: readonly string[];
  /** Whom the terminal has asked or told about last; null when it has not. */
  readonly told: readonly string[] | null;
}

export interface SeenHome extends HomeName {
  readonly chat: SessionKey;
  readonly name: string | null;
  readonly isPrivate: boolean;
  /** Who is there beside the bot, by the platform's own word. */
  readonly present: readonly string[];
  /** Nobody ever enters or leaves such a chat. */
  readonly isFixed: boolean;
}
