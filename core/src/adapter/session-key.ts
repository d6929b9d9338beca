import type { Branded } from "../base/brand.ts";
import type { Conversation } from "./conversation.ts";

/**
 * The string that identifies a conversation:
 * `agent:main:<platform>:<dm|group>:<chat>[:a=<account>][:s=<scope>][:t=<thread>][:u=<user>]`.
 * It is compared, never parsed.
 */
export type SessionKey = Branded<"SessionKey">;

/** Builds the key of a conversation. Percent-encodes the parts, so that no platform id can forge another key. */
export function buildSessionKey(at: Conversation): SessionKey {
  const parts = ["agent", "main", part(at.platform), at.kind, part(at.chatId)];
  if (at.account) parts.push(`a=${part(at.account)}`);
  if (at.scope) parts.push(`s=${part(at.scope)}`);
  if (at.threadId) parts.push(`t=${part(at.threadId)}`);
  if (at.userId) parts.push(`u=${part(at.userId)}`);
  return parts.join(":") as SessionKey;
}

function part(value: string): string {
  // Lone surrogates make encodeURIComponent throw; a platform's id is opaque and may hold anything.
  return encodeURIComponent(value.toWellFormed());
}
