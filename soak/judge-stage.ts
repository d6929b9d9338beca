import { type Judgement, judge } from "./ledger/judge.ts";
import type { Asked, Ledger } from "./ledger/ledger.ts";
import { isKept, unsureTokens } from "./ledger/listed.ts";
import type { Stage } from "./perform.ts";

/** A refused edit counts for what was asked up to so long before it, in milliseconds. */
const GROWS_FOR_MS = 60_000;

/** Judges what is in the ledger now. `listed`: the messages whose answers Hermes lists as not delivered. */
export function judgeStage({ ledger, platforms, file, handoffs }: Stage, listed: ReadonlySet<string>): Judgement[] {
  const judged = judge(ledger, {
    knowsFate: (name) => platforms.get(name)?.knowsFate ?? false,
    listed,
    unsure: unsureTokens(file),
    toldInTerminal: handoffs.warned,
    mayStandBeside: (asked) => hadRefusedEdit(ledger, asked),
  });
  // Neither kept by Hermes nor held by the platform: it was removed with its thread before anybody could take it.
  return judged.filter(({ verdict, asked }) => !(verdict === "lost" && asked.isGone && !isKept(file, asked.token)));
}

/** Scripted edits are met by whichever answer is edited next. */
function hadRefusedEdit({ notes }: Ledger, { platform, at }: Asked): boolean {
  return notes.some(
    (note) =>
      note.platform === platform &&
      /^trouble: (edit: refuse|the thread|nobody but|the bot may not|the channel)/.test(note.what) &&
      note.at > at - GROWS_FOR_MS &&
      note.at < at + GROWS_FOR_MS,
  );
}
