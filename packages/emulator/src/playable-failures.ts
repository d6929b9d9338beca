import { CannotEmulate } from "./cannot-emulate.ts";
import type { EmulatorFailure, PlayableFailure } from "./emulator.ts";

type Kind = PlayableFailure["is"];

const SENTENCES: Readonly<Record<Exclude<Kind, "refuse">, string>> = {
  "rate-limit": "The call is refused, with the time to wait (`retryAfterMs`).",
  break: "The server answers that it cannot for now, and nothing is done.",
  "break-after": "The call is done, and the server answers with an error of its own.",
  "bad-gateway": "The call is done, and what stands before the server answers 502 (Bad Gateway) for it.",
  "drop-answer": "The call is done, and its answer is lost.",
  hang: "There is no answer, until the client gives up or everything is healed.",
  disconnect: "The call finds its connection cut; of `connect`, every connection of the client is cut at once.",
  redeliver: "The event is delivered a second time.",
  lose: "The event never comes: the platform gave up on it, and it stands in the history alone.",
  "out-of-order": "The event comes after the one that is written behind it.",
};

/** Describes failures that an emulator can play on each of these operations. */
export function playable(kinds: readonly Exclude<Kind, "refuse">[], operations: readonly string[]): PlayableFailure[] {
  return kinds.map((is) => ({ is, operations, description: SENTENCES[is] }));
}

/** Describes refusals that an emulator can play on each of these operations: codes, with a sentence for each. */
export function refusals(codes: Readonly<Record<string, string>>, operations: readonly string[]): PlayableFailure[] {
  return Object.entries(codes).map(([code, description]) => ({ is: "refuse", code, operations, description }));
}

/** Throws CannotEmulate, with the alternatives, for a failure that cannot be played. */
export function checkPlayable({ operation, kind }: EmulatorFailure, failures: readonly PlayableFailure[]): void {
  const alike = failures.filter(({ is }) => is === kind.is);
  if (alike.length === 0)
    throw new CannotEmulate(`there is no ${kind.is} here, only ${list(failures, ({ is }) => [is])}`);
  const here = alike.filter(({ operations }) => operations.includes(operation));
  if (here.length === 0) {
    const others = list(alike, ({ operations }) => operations);
    throw new CannotEmulate(`${kind.is} cannot happen to ${operation} here, only to ${others}`);
  }
  if (kind.is !== "refuse" || here.some(({ code }) => isCode(kind.code, code))) return;
  const codes = list(here, ({ code = "" }) => [JSON.stringify(code)]);
  throw new CannotEmulate(`${operation} cannot be refused with ${JSON.stringify(kind.code)} here, only with ${codes}`);
}

function isCode(asked: string, code = ""): boolean {
  return asked === code || asked.startsWith(`${code}: `);
}

function list(failures: readonly PlayableFailure[], namesOf: (failure: PlayableFailure) => readonly string[]): string {
  return [...new Set(failures.flatMap(namesOf))].join(", ");
}
