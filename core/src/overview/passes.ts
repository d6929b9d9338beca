import { HermesError } from "../base/errors.ts";
import type { Store } from "../store/store.ts";
import { passDocument } from "./pass-document.ts";

/** The passes that are open or in use: `hermes passes --json`. */
export async function passesDocument(store: Store) {
  const passes = (await store.codes.list("pass")).map(async (pass) => {
    const session = pass.sessionId === null ? null : await store.sessions.get(pass.sessionId);
    return passDocument(pass, session?.title ?? null);
  });
  return { passes: await Promise.all(passes) };
}

/** Ends a pass: `hermes passes revoke --json`. Throws PASS_UNKNOWN. */
export async function revokePass(store: Store, reference: string) {
  const number = /^\d{1,9}$/.test(reference) ? Number(reference) : 0;
  const pass = await store.codes.get(number);
  if (pass?.kind !== "pass" || !(await store.codes.revoke(number)))
    throw new HermesError("PASS_UNKNOWN", { reference });
  return { number, state: "revoked", usedBy: pass.state === "taken" ? (pass.who?.name ?? pass.who?.id ?? null) : null };
}
