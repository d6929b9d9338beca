import { EVERY_SESSION } from "../../model/session.ts";
import { sessionDocument } from "../../overview/session-document.ts";
import type { CliContext } from "../context.ts";
import { printSessions } from "./print-sessions.ts";

export async function listSessions({ output, withHost }: CliContext, { limit }: { limit: number }): Promise<undefined> {
  await withHost(async (host) => {
    const { sessions } = await host.store.sessions.list({ visible: EVERY_SESSION, limit });
    output.document({ sessions: sessions.map(sessionDocument) });
    if (sessions.length === 0) output.line("There is no session yet. `hermes` begins one.");
    if (!output.json) await printSessions(output, host, sessions);
  });
}
