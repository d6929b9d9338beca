import type { Code } from "../model/code.ts";

/** A pass in a JSON document; never the code itself. */
export function passDocument({ number, state, person, sessionId, who, expiresAt }: Code, title: string | null) {
  const by = who && { platform: who.platform, account: who.account ?? null, id: who.id, name: who.name };
  return { number, state, sessionId, title, for: person, usedBy: by, expiresAt };
}
