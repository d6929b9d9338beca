import type { SessionKey } from "../adapter/session-key.ts";

/** Identifies the home channel of a platform account, by its chat id from the config or /sethome. */
export interface HomeName {
  readonly platform: string;
  readonly account: string | undefined;
  readonly home: string;
}

/** Who is the operator in a private home channel: recorded when it became the home channel; no message changes it. */
export interface HomePerson extends HomeName {
  /** The key of the chat at that time. If `home` leads to another chat later, nobody is the operator there. */
  readonly chat: SessionKey;
  /** The chat's name for people, if it has one. */
  readonly name: string | null;
  /** Whether the platform last reported a private chat. In any other chat, being there makes nobody the operator. */
  readonly isPrivate: boolean;
  /** The person's id, or name if the platform has several ids per person; null while nobody is the operator there. */
  readonly person: string | null;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Where that was recorded from: the platform, /sethome or the terminal. */
  readonly word: "platform" | "sethome" | "terminal";
  /** Who is there, as the platform last reported. */
  readonly present: readonly string[];
  /** The value of `present` when the terminal last asked or told somebody about it; null before. */
  readonly told: readonly string[] | null;
}

export interface SeenHome extends HomeName {
  readonly chat: SessionKey;
  readonly name: string | null;
  readonly isPrivate: boolean;
  /** Who is there apart from the bot, as the platform reports. */
  readonly present: readonly string[];
  /** Whether the chat is of a kind that nobody can enter or leave. */
  readonly isFixed: boolean;
}
