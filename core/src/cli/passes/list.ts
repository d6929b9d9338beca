import { ageText } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import type { Code } from "../../model/code.ts";
import { accountName } from "../../model/identity.ts";
import { OPERATOR } from "../../model/session.ts";
import { passesDocument } from "../../overview/passes.ts";
import type { CliContext } from "../context.ts";

/** `hermes passes` */
export async function listPasses({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async (host) => {
      if (output.json) return output.document(await passesDocument(host.store));
      const passes = await host.store.codes.list("pass");
      const listed = await Promise.all(
        passes.map(async (pass) => ({ pass, title: await titleOf(host, pass), name: await nameOf(host, pass) })),
      );
      if (listed.length === 0) output.line("There is no pass. `hermes pass <session>` makes one.");
      for (const { pass, title, name } of listed) {
        output.line(`${String(pass.number).padStart(3)}  ${title ?? pass.sessionId}  ${describe(host, pass, name)}`);
      }
    },
    { needsConfig: false },
  );
}

async function titleOf({ store }: Host, { sessionId }: Code): Promise<string | null> {
  return (sessionId && (await store.sessions.get(sessionId))?.title) ?? null;
}

async function nameOf({ store }: Host, { person }: Code): Promise<string | null> {
  if (person === OPERATOR) return "you";
  return person && ((await store.people.get(person))?.name ?? person);
}

function describe({ clock }: Host, { state, person, who, expiresAt }: Code, name: string | null): string {
  if (state === "taken" && who !== null) return `in use by ${who.name ?? who.id} on ${accountName(who)} (${who.id})`;
  const whom = person === null ? "whoever sends it first" : name;
  return `for ${whom}, within ${ageText(expiresAt - clock.now())}`;
}
