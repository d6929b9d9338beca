import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { type Token, token } from "../../base/tokens.ts";
import type { CommandResult } from "../../command/command.ts";
import type { Session, UserId } from "../../model/session.ts";
import type { OperatorOverview } from "../../plugin/operator-overview.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";
import type { KnownIdentities } from "./known-identities.ts";

/**
 * A platform account of the config, as a gateway serves it. What works on it is made in a container of its own, a child
 * of the process's: for as long as one adapter is up.
 */
export interface Account {
  readonly platform: string;
  /** Tells accounts of one platform apart. */
  readonly account: string | undefined;
  readonly options: PlatformOptions;
  readonly identities: KnownIdentities;
  /** The platform's bare name means this one of its accounts. */
  readonly takesHandoffs: boolean;
  /** `/handoff` on the platform; null where nothing is handed off from it. */
  readonly handOff: HandOffFrom | null;
  /** What only the operator may see; null where the plugin may not have it. */
  readonly overview: OperatorOverview | null;
  /** What the heartbeat says of it may have changed. */
  readonly onChange: () => Promise<void>;
}

/** Moves the session that the conversation `at` leads to, which is bound by the key `from`; `where` is what was typed. */
export type HandOffFrom = (request: {
  readonly session: Session;
  readonly from: SessionKey;
  /** Who asks for it. */
  readonly by: UserId;
  readonly at: Conversation;
  readonly where: string;
  typed(command: string): string;
}) => Promise<CommandResult>;

export const ACCOUNT: Token<Account> = token("account");
/** The adapter that is up. */
export const ADAPTER: Token<PlatformAdapter> = token("adapter");
