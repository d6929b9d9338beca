import { EVERY_SESSION } from "../../model/session.ts";
import { sessionsDocument } from "../../overview/sessions.ts";
import type { CliContext } from "../context.ts";
import { printSessions } from "./print-sessions.ts";

interface ListOptions {
  readonly limit: number;
  readonly after?: string;
  readonly matching?: string;
}

export async function listSessions({ output, withHost }: CliContext, options: ListOptions): Promise<undefined> {
  const { limit, after, matching } = options;
  await withHost(async (host) => {
    if (output.json) return output.document(await sessionsDocument(host.store, options));
    const { sessions } = await host.store.sessions.list({
      ...{ visible: EVERY_SESSION, limit },
      ...(after === undefined ? {} : { cursor: after }),
      ...(matching === undefined ? {} : { matching }),
    });
    const isWhole = after === undefined && matching === undefined;
    if (sessions.length === 0) {
      output.line(isWhole ? "There is no session yet. `hermes` begins one." : "There is no such session.");
    }
    await printSessions(output, host, sessions, { isNumbered: isWhole });
  });
}
