import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import type { CliContext } from "../context.ts";

export async function titleSession(
  { output, withHost }: CliContext,
  reference: string,
  words: readonly string[],
): Promise<undefined> {
  await withHost(async ({ store }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    const title = await store.sessions.setTitle(session.id, words.join(" "));
    output.document({ id: session.id, title });
    output.line(`It is now called “${title}”.`);
  });
}
