import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import { accountName, type IdentityScope } from "./identity.ts";

/** Where a session is handed to. `account` tells several accounts of one platform apart. */
export type HandoffTarget = { readonly kind: "terminal" } | PlatformTarget;

/** A target that a gateway carries the session to. */
export type PlatformTarget =
  /** The home channel of a platform account. */
  | ({ readonly kind: "home" } & IdentityScope)
  /** A conversation that is used as a home channel is: a thread is opened in it where the platform has threads. */
  | ({
      readonly kind: "conversation";
      readonly key: SessionKey;
      readonly conversation: Conversation;
      /** What people call it; null where it has no name. */
      readonly name: string | null;
    } & IdentityScope);

/** The home channel of a platform account as a target. */
export function homeOf(platform: string, account?: string | undefined): PlatformTarget {
  return { kind: "home", platform, account };
}

/** A target as people type it: `terminal`, `pager:work`, `pager:work/#general`. */
export function typedTarget(to: HandoffTarget): string {
  if (to.kind === "terminal") return "terminal";
  const account = accountName(to);
  return to.kind === "home" ? account : `${account}/${to.name ?? to.conversation.threadId ?? to.conversation.chatId}`;
}
