import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Grants } from "./grants.ts";
import type { PlatformAuthor, TurnAuthor } from "./turn.ts";

/** What somebody is about to do: write, run a command, answer an approval, or have a tool run. */
export type Act = "talk" | "command" | "operators-command" | "decide" | "tool";

export type Ruling =
  | { readonly ok: true }
  /** `reason`: in words, without a capital and a full stop. */
  | { readonly ok: false; readonly reason: string };

type Role = "operator" | "member" | "stranger";

/** Allows everybody, where an operator has written it down. */
const EVERYBODY = "*";

const RULES: Readonly<Record<Act, { readonly needs: Exclude<Role, "stranger">; readonly refusal: string }>> = {
  talk: { needs: "member", refusal: "only people whom the operator allowed may talk to the agent" },
  command: { needs: "member", refusal: "only people whom the operator allowed may use commands" },
  "operators-command": { needs: "operator", refusal: "only an operator may use this command" },
  decide: { needs: "operator", refusal: "only an operator can answer" },
  tool: { needs: "operator", refusal: "only an operator's words may use tools" },
};

/**
 * Decides whether somebody may do something in the conversation that they write in. Whoever is at the terminal may do
 * everything. `grants`: the current ones of the author's account; null where no live gateway publishes any.
 */
export function mayDo(author: TurnAuthor | null, act: Act, grants: Grants | null): Ruling {
  if (author === "terminal") return { ok: true };
  if (author === null) return { ok: false, reason: "nobody wrote the message that is answered" };
  if (grants === null) {
    return { ok: false, reason: `no gateway that serves ${accountOf(author)} says at the moment who may do that` };
  }
  const { needs, refusal } = RULES[act];
  const role = roleOf(author, grants);
  return role === "operator" || role === needs ? { ok: true } : { ok: false, reason: refusal };
}

/** Nobody is allowed until the config says so: by name, or by naming a private chat as the home channel. */
function roleOf(author: PlatformAuthor, grants: Grants): Role {
  const ids = [author.senderId, ...author.aliases];
  const isListed = (list: readonly string[]) => ids.some((id) => list.includes(id));
  if (author.isBot) return isListed(grants.allowedBots) ? "member" : "stranger";
  if (isListed(grants.operators) || isAtHome(author, grants)) return "operator";
  return isListed(grants.allowedUsers) || grants.allowedUsers.includes(EVERYBODY) ? "member" : "stranger";
}

function isAtHome({ senderId, person, conversation }: PlatformAuthor, { home }: Grants): boolean {
  if (home === null || conversation.kind !== "dm" || home.person !== (person ?? senderId)) return false;
  return buildSessionKey(chatOf(conversation)) === home.chat;
}

function accountOf({ platform, account }: PlatformAuthor): string {
  return account === undefined ? platform : `${platform} (${account})`;
}
