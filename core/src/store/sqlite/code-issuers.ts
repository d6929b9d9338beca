import { senderOf } from "../../adapter/identity.ts";
import { mayDo } from "../../model/may-do.ts";
import { type IdentityKey, identityOfUser } from "../../model/person.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import { configGrants } from "./config-grants.ts";
import type { Context } from "./connection.ts";
import { IdentityRows } from "./identity-rows.ts";

/**
 * Whether somebody may give a session away at this moment: operators may, by their role or by the config of an account
 * that a gateway serves.
 */
export function mayGiveSessions(context: Context, issuer: UserId | null): boolean {
  if (issuer === null) return false;
  const { db } = context;
  const role = db.get<{ role: string }>("SELECT role FROM people WHERE id = +?", issuer)?.role;
  if (issuer === OPERATOR || role === "operator") return true;
  const linked = db.all<{ platform: string; account: string; key: string }>(
    "SELECT platform, account, key FROM person_identities WHERE person = +?",
    issuer,
  );
  const own = identityOfUser(issuer);
  const identities = own === null ? linked : [...linked, { ...own, account: own.account ?? "" }];
  return identities.some((one) => isOperatorByConfig(context, { ...one, account: one.account || undefined }));
}

function isOperatorByConfig(context: Context, { platform, account, key }: IdentityKey): boolean {
  const scope = { platform, account };
  const granted = configGrants(context, scope);
  if (granted === null) return false;
  const known = new IdentityRows(context, scope).personOrNull(key);
  const conversation = { platform, account, chatId: key, kind: "group" } as const;
  const author = authorOf({ conversation, sender: known === null ? { id: key } : senderOf(known) });
  const grants = { ...granted, home: null, people: { operators: [], members: [], guests: [] } };
  return mayDo(author, "operators-command", grants).ok;
}
