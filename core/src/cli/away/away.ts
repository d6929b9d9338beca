import { HermesError } from "../../base/errors.ts";
import { shellWord } from "../../base/shell-word.ts";
import { awayIs, awayNow, setAway } from "../../handoff/set-away.ts";
import type { Away } from "../../model/away.ts";
import { OPERATOR, type Session } from "../../model/session.ts";
import type { CliContext } from "../context.ts";
import { namedOrLastSession } from "../last-session.ts";

interface AwayOptions {
  readonly session?: string;
  /** In milliseconds. */
  readonly rest: number;
  readonly yes?: boolean;
  readonly off?: boolean;
}

/** `hermes away`: says where a session goes when nobody is at the terminal, or shows it. */
export async function away(
  { io, output, withHost }: CliContext,
  where: string | undefined,
  { session: reference, rest, yes = false, off }: AwayOptions,
): Promise<undefined> {
  if (off && where !== undefined) {
    throw new HermesError("USAGE", { reason: "Say where to, or --off, not both", command: "hermes away" });
  }
  const typed = typedFor(reference);
  await withHost(async ({ store, clock }) => {
    const { workingDirectory: folder } = io;
    const { id } = await namedOrLastSession(store, { reference, folder, command: "hermes away" });
    if (off) {
      const wasSet = await store.away.clear(id);
      output.document(documentOf(id, null));
      output.line(wasSet ? "Away is off: the session stays where it is." : "Away was not set.");
    } else if (where === undefined) {
      output.document(documentOf(id, await store.away.get(id)));
      output.line(await awayNow(store, id, typed));
    } else {
      const set = await setAway(
        { store, clock },
        { sessionId: id, where, restMs: rest, by: OPERATOR, yes, again: typed },
      );
      output.document(documentOf(id, set));
      output.line(awayIs(set, typed("away off")));
    }
  });
}

/** How the same is typed in a shell, for the session that was named. */
function typedFor(reference: string | undefined): (words: string) => string {
  const named = reference === undefined ? "" : ` -s ${shellWord(reference)}`;
  return (words) => `hermes ${words.replace("away off", "away --off")}${named}`;
}

function documentOf(sessionId: Session["id"], away: Away | null) {
  return { sessionId, away: away && { to: away.to, restMs: away.restMs, by: away.by } };
}
