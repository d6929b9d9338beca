import type { IdentityScope } from "../../model/identity.ts";

/** `<platform>`, or `<platform>:<account>`. */
export function accountName({ platform, account }: IdentityScope): string {
  return account === undefined ? platform : `${platform}:${account}`;
}
