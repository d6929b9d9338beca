import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { PlatformAuthor } from "./turn.ts";

/** A conversation that people can name. */
export interface KnownPlace {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** What the config calls it; null where it does not name it. */
  readonly called: string | null;
  /** What people call it on the platform: the chat's name, or that of the person in a private chat. */
  readonly name: string | null;
  /** How it came to be known: by the config, as a home channel, or because Hermes talked in it. */
  readonly word: "config" | "home" | "heard";
  /** When it was last used, in milliseconds since 1970; a use within the same hour may not be noted. */
  readonly heardAt: number;
  /**
   * Whether others may read it: what the config says of a place that it names, else that it is no private chat, or
   * others came into it.
   */
  readonly shared: boolean;
  /** Who reads a private chat, since they wrote there or the platform says so; null for any other, and while unknown. */
  readonly person: PlacePerson | null;
}

/** The person in a private chat: their permissions are checked at the moment of use. */
export interface PlacePerson {
  readonly author: PlatformAuthor;
  readonly name: string | null;
}

export interface NotedPlace {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly name: string | null;
  readonly word: "home" | "heard";
  readonly person: PlacePerson | null;
  /** Whether others have come into what is called a private chat. Left out, what is known of it stays. */
  readonly shared?: boolean;
}

/** A place of the config's `places`, as the platform knows it. */
export interface ConfigPlace {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly called: string;
  readonly shared: boolean;
  /** Whose private chat it is for good, by the platform's word; whoever writes there counts instead. */
  readonly person?: PlacePerson | null;
}
