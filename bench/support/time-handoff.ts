import { followHandoff, type Host, homeOf, type SessionId } from "@hermes/core/embed";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { AT_TERMINAL, conversation, openTurn } from "./fill.ts";
import type { RunOptions } from "./measurement.ts";
import { seededRandom } from "./random.ts";
import { terminalHost } from "./terminal-host.ts";
import { createVocabulary } from "./vocabulary.ts";

/** What whoever asked for a handoff waited for, in milliseconds: from the call until they knew of it. */
export interface HandoffTimes {
  readonly claimed: number;
  readonly completed: number;
}

/** Messages that each session brings along. */
const MESSAGES = 20;

/**
 * Hands sessions off to the web platform of a gateway that is a process of its own, one after the other, from this
 * process, and watches each as a terminal does. Each comes after a pause, since people do not ask in a row.
 */
export async function timeHandoffs({ quick, progress }: RunOptions): Promise<HandoffTimes[]> {
  const count = quick ? 20 : 200;
  await using machine = new HermesMachine();
  progress("a gateway starts");
  await machine.startGateway();
  await using host = await terminalHost(machine);
  const vocabulary = createVocabulary();
  const random = seededRandom(1);
  const times: HandoffTimes[] = [];
  progress(`${count} handoffs`);
  for (let i = 0; i < count; i++) {
    const turn = await openTurn(host, { ...AT_TERMINAL, title: `Session ${i}` }, "Where do we stand?");
    await turn.append(conversation(vocabulary, random, MESSAGES - 1));
    await turn.finish();
    await new Promise((resolve) => setTimeout(resolve, 20 + (random() % 50)));
    times.push(await timeHandoff(host, turn.sessionId));
  }
  return times;
}

/** Hands one session off, and waits until whoever asked for it knows that it is completed. */
export async function timeHandoff({ store, clock }: Host, sessionId: SessionId): Promise<HandoffTimes> {
  const from = performance.now();
  const request = await store.handoffs.requestHandoff(sessionId, homeOf("web"));
  if (!request.ok) throw new Error(`the handoff was refused: ${request.reason}`);
  let claimed: number | undefined;
  for await (const progress of followHandoff({ store, clock }, request.handoff.id, { finishWithinMs: 30_000 })) {
    if ("waiting" in progress) continue;
    const elapsed = performance.now() - from;
    if (progress.step === "claimed") claimed = elapsed;
    if (progress.step === "completed" && claimed !== undefined) return { claimed, completed: elapsed };
  }
  const ended = await store.handoffs.get(request.handoff.id);
  throw new Error(`the handoff ended as ${ended?.state}: ${ended?.error?.text ?? "no reason"}`);
}
