import { HermesError } from "../../base/errors.ts";
import { findPerson } from "../../command/find-person.ts";
import { findSession } from "../../command/find-session.ts";
import { passText } from "../../command/pass.ts";
import type { Host } from "../../host/host.ts";
import { newCode, shownCode } from "../../model/code.ts";
import { EVERY_SESSION, OPERATOR, type Session } from "../../model/session.ts";
import { passDocument } from "../../overview/pass-document.ts";
import type { CliContext } from "../context.ts";

interface PassOptions {
  readonly anyone?: boolean;
  readonly for?: string;
  /** Milliseconds. */
  readonly ttl: number;
}

/** `hermes pass`: prints a code that is shown this once. */
export async function makePass(
  { output, withHost }: CliContext,
  reference: string | undefined,
  { anyone = false, for: whom, ttl: ttlMs }: PassOptions,
): Promise<undefined> {
  await withHost(
    async (host) => {
      const session = await sessionFor(host, reference);
      const code = newCode();
      if (anyone && whom !== undefined) {
        throw new HermesError("USAGE", { reason: "A pass is for one person or for anyone", command: "hermes pass" });
      }
      const named = whom === undefined ? null : await findPerson(host.store, whom);
      const person = anyone ? null : (named?.id ?? OPERATOR);
      const made = await host.store.codes.create({
        ...{ code, kind: "pass", issuer: OPERATOR, person, sessionId: session.id, who: null, ttlMs },
      });
      output.document({ pass: shownCode(code), ...passDocument(made, session.title) });
      const name = `“${session.title ?? session.id}”`;
      output.line(passText(code, { name, isForAnyone: anyone, ttlMs, whom: named?.name }));
    },
    { needsConfig: false },
  );
}

async function sessionFor({ store }: Host, reference: string | undefined): Promise<Session> {
  if (reference !== undefined) return findSession(store, reference, EVERY_SESSION);
  const { sessions } = await store.sessions.list({ visible: EVERY_SESSION, limit: 1 });
  const [last] = sessions;
  if (last === undefined) throw new HermesError("SESSION_UNKNOWN", { reference: "to give" });
  return last;
}
