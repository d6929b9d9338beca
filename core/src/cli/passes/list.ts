import { ageText } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import type { Code } from "../../model/code.ts";
import { passesDocument } from "../../overview/passes.ts";
import type { CliContext } from "../context.ts";
import { accountName } from "../link/account-name.ts";

/** `hermes passes` */
export async function listPasses({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async (host) => {
      if (output.json) return output.document(await passesDocument(host.store));
      const passes = await host.store.codes.list("pass");
      const listed = await Promise.all(passes.map(async (pass) => ({ pass, title: await titleOf(host, pass) })));
      if (listed.length === 0) output.line("There is no pass. `hermes pass <session>` makes one.");
      for (const { pass, title } of listed) {
        output.line(`${String(pass.number).padStart(3)}  ${title ?? pass.sessionId}  ${describe(host, pass)}`);
      }
    },
    { needsConfig: false },
  );
}

async function titleOf({ store }: Host, { sessionId }: Code): Promise<string | null> {
  return (sessionId && (await store.sessions.get(sessionId))?.title) ?? null;
}

function describe({ clock }: Host, { state, person, who, expiresAt }: Code): string {
  if (state === "taken" && who !== null) return `in use by ${who.name ?? who.id} on ${accountName(who)} (${who.id})`;
  const whom = person === null ? "whoever sends it first" : person;
  return `for ${whom}, within ${ageText(expiresAt - clock.now())}`;
}
