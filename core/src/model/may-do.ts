import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Grants } from "./grants.ts";
import { accountName } from "./identity.ts";
import type { PlatformAuthor, TurnAuthor } from "./turn.ts";

/**
 * What somebody is about to do: write, run a command (one that only shows or ends their own, any, one of operators),
 * answer an approval, or have a tool run.
 */
export type Act = "talk" | "guests-command" | "command" | "operators-command" | "decide" | "tool";

export type Ruling =
  | { readonly ok: true }
  /** `reason`: in words, without a capital and a full stop. */
  | { readonly ok: false; readonly reason: string };

type Standing = "operator" | "member" | "guest" | "stranger";

/** Allows everybody, where an operator has written it down. */
const EVERYBODY = "*";

/** From the least to the most: each may do what those before may. */
const STANDINGS: readonly Standing[] = ["stranger", "guest", "member", "operator"];

const RULES: Readonly<Record<Act, { readonly needs: Exclude<Standing, "stranger">; readonly refusal: string }>> = {
  talk: { needs: "guest", refusal: "only people whom the operator allowed may talk to the agent" },
  "guests-command": { needs: "guest", refusal: "only people whom the operator allowed may use commands" },
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
    return { ok: false, reason: `no gateway that serves ${accountName(author)} says at the moment who may do that` };
  }
  const { needs, refusal } = RULES[act];
  const isEnough = STANDINGS.indexOf(standingOf(author, grants)) >= STANDINGS.indexOf(needs);
  return isEnough ? { ok: true } : { ok: false, reason: refusal };
}

/**
 * Nobody is allowed until the config or the operator says so: by name, by naming a private chat as the home channel, as a
 * person, or with a pass for one conversation.
 */
function standingOf(author: PlatformAuthor, grants: Grants): Standing {
  const { people } = grants;
  const ids = [author.senderId, ...author.aliases];
  const key = author.person ?? author.senderId;
  const isListed = (list: readonly string[]) => ids.some((id) => list.includes(id));
  if (author.isBot) return isListed(grants.allowedBots) ? "member" : "stranger";
  if (isListed(grants.operators) || isAtHome(author, grants) || people.operators.includes(key)) return "operator";
  if (isListed(grants.allowedUsers) || grants.allowedUsers.includes(EVERYBODY)) return "member";
  if (people.members.includes(key)) return "member";
  const here = buildSessionKey(author.conversation);
  return people.guests.some((guest) => guest.id === key && guest.key === here) ? "guest" : "stranger";
}

function isAtHome({ senderId, person, conversation }: PlatformAuthor, { home }: Grants): boolean {
  if (home === null || conversation.kind !== "dm" || home.person !== (person ?? senderId)) return false;
  return buildSessionKey(chatOf(conversation)) === home.chat;
}
