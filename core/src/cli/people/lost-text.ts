import { count } from "../../base/text.ts";
import type { Lost } from "../../overview/change-people.ts";

/** What somebody lost, as a sentence: `2 identities unlinked, 1 pass revoked, 1 turn asked to stop.` Empty for nothing. */
export function lostText({ identities, passes, turns }: Lost): string {
  const parts = [
    identities === 0 ? "" : `${identities} ${identities === 1 ? "identity" : "identities"} unlinked`,
    passes === 0 ? "" : `${passes} ${passes === 1 ? "pass" : "passes"} revoked`,
    turns === 0 ? "" : `${count(turns, "turn")} asked to stop`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}
