import type { OutboundMessage } from "../../adapter/message.ts";
import { HermesError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { findSession } from "../../command/find-session.ts";
import { dropFiles } from "../../files/prune-files.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import { EVERY_SESSION, type Session } from "../../model/session.ts";
import { nameOfPlace } from "../../store/look-up-place.ts";
import { dropOutputs } from "../../tools/prune-outputs.ts";
import { canAsk, requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";

/** Deletes a session; the chats that it was bound to are told. Asks first, unless forced. */
export async function deleteSession(
  { output, withHost }: CliContext,
  reference: string,
  { force = false }: { force?: boolean },
): Promise<number> {
  return withHost(async ({ home, store, clock }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    await refuseWhileInFlight({ store, clock }, session.id);
    const bindings = await store.bindings.of(session.id);
    const places = (await Promise.all(bindings.map((binding) => nameOfPlace(store, binding)))).join("; ");
    const unsent = await store.typedLines.left(session.id);
    const waiting = (await store.deliveries.list({ limit: 100, waiting: true })).filter(
      ({ sessionId, state }) => sessionId === session.id && state === "waiting",
    );
    if (!force && !(await isMeant(session, places, { unsent: unsent.length, waiting: waiting.length }))) {
      output.line("Nothing was deleted.");
      return 1;
    }
    const messages = await store.transcripts.read(session.id);
    const unbound = await store.sessions.delete(session.id, farewell(session));
    dropOutputs(home, session.id);
    const files = messages.flatMap((message) => message.files ?? []);
    await dropFiles(home, clock, { hashes: files.map(({ hash }) => hash), rows: store.files });
    output.document({ id: session.id, deleted: true, unbound });
    output.line(`Deleted “${session.title ?? session.id}”.`);
    return 0;
  });

  async function isMeant(
    session: Session,
    places: string,
    { unsent, waiting }: { readonly unsent: number; readonly waiting: number },
  ): Promise<boolean> {
    const title = session.title ?? session.id;
    if (!canAsk(output) && places !== "") throw new HermesError("SESSION_IN_USE", { title, places });
    const bound = places === "" ? "" : ` It is bound ${places}, and will be unbound there.`;
    const typed = unsent === 0 ? "" : ` and the ${count(unsent, "line")} that wait there unsent`;
    const all = `${count(session.messageCount, "message")}${typed}`;
    const said =
      waiting === 0 ? "" : ` ${count(waiting, "message")} still to be sent: sent as usual, or kept for 30 days.`;
    return requireConfirmed(output, `Delete “${title}” with its ${all} for good?${said}${bound}`, {
      reason: `Deleting “${title}” for good needs your confirmation: pass --force`,
      command: "hermes sessions delete",
    });
  }
}

function farewell({ id, title }: Session): OutboundMessage {
  const name = escapeMarkdown(title ?? id);
  return {
    kind: "notice",
    markdown: `The session **${name}** was deleted in the terminal. Your next message begins a new one.`,
    tellsOf: {},
  };
}
