import type { PlatformAdapter } from "../adapter/adapter.ts";
import type { Conversation, HomeChannel } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import { type Token, token } from "../base/tokens.ts";
import type { TurnEvent } from "../turn/turn-runner.ts";

/** The platform account that handoffs arrive at, as far as they need it. */
export interface Destination {
  readonly adapter: PlatformAdapter;
  /** Tells accounts of one platform apart. */
  readonly account: string | undefined;
  readonly home: HomeChannel | null;
  /** Throws where others than the operator would read what is handed off. */
  checkHome(): Promise<void>;
  /** Runs `work` at the head of a conversation's lane: between two of its messages. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T>;
  /** Shows the people there what the turn does while it runs. */
  present(at: { readonly key: SessionKey; readonly conversation: Conversation }): {
    onEvent(event: TurnEvent): void;
    close(): Promise<void>;
  };
}

export const DESTINATION: Token<Destination> = token("handoff-destination");
