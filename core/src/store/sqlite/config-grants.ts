import type { SessionKey } from "../../adapter/session-key.ts";
import type { Grants } from "../../model/grants.ts";
import type { IdentityScope } from "../../model/identity.ts";
import { accountLease } from "../work-stores.ts";
import type { Context } from "./connection.ts";
import { leaseOf } from "./leases.ts";

/** What is published, as it is stored. */
export interface Granted {
  readonly operators: string;
  readonly allowed_users: string;
  readonly allowed_bots: string;
  readonly home: string | null;
  readonly chat: SessionKey | null;
}

export interface GrantRow extends Granted {
  readonly version: number;
  readonly holder_id: string;
  readonly published_at: number;
}

/** What the config of an account grants now; null while no process that has its lease says. */
export function configGrants(
  context: Context,
  scope: IdentityScope,
): Pick<Grants, "operators" | "allowedUsers" | "allowedBots"> | null {
  const row = grantRow(context, scope);
  return row && isHeldBy(context, scope, row.holder_id) ? listsOf(row) : null;
}

export function listsOf(row: Granted): Pick<Grants, "operators" | "allowedUsers" | "allowedBots"> {
  return {
    operators: JSON.parse(row.operators) as string[],
    allowedUsers: JSON.parse(row.allowed_users) as string[],
    allowedBots: JSON.parse(row.allowed_bots) as string[],
  };
}

export function isHeldBy(context: Context, { platform, account }: IdentityScope, holderId: string): boolean {
  return leaseOf(context, accountLease(platform, account))?.holder_id === holderId;
}

export function grantRow({ db }: Context, { platform, account = "" }: IdentityScope): GrantRow | undefined {
  return db.get<GrantRow>("SELECT * FROM grants WHERE platform = +? AND account = +?", platform, account);
}
