import { inject, Lifecycle, scoped } from "tsyringe";
import { ageText } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import type { Host } from "../../host/host.ts";
import { outcomeText } from "../../model/approval-text.ts";
import { withReadableMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import { shownCall } from "../../model/transcript.ts";
import type { Turn } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import { HOST, OUTPUT, READER } from "./tokens.ts";
import { noteWaiting } from "./unasked.ts";

/** How many messages are looked through for what a turn did last. */
const LATEST = 500;

/** Offers to go on with a turn that waits, or was cut off. Nothing goes on by itself: what it does may be long past. */
@scoped(Lifecycle.ContainerScoped)
export class OfferOpenTurn {
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
    @inject(READER) readonly reader: LineReader,
  ) {}

  /**
   * Looks for a turn of a session that was just opened. Returns the one whose questions are to be asked here, or that the
   * person wants to go on here; of every other, says how it is. `takesAlong`: a turn that waits to begin here was just
   * asked for.
   */
  async look(sessionId: SessionId, { takesAlong }: { readonly takesAlong: boolean }): Promise<Turn | null> {
    const { output } = this;
    const { store, clock } = this.host;
    const turn = await store.turns.running(sessionId);
    if (turn === null) return null;
    const open = turn.state === "waiting" ? await store.approvals.open(sessionId) : [];
    if (open.length > 0) {
      if (output.io.isInteractive) return turn;
      noteWaiting(output, open);
      return null;
    }
    if ((await store.turns.resumable("terminal")).some(({ id }) => id === turn.id)) {
      const isAskedFor = takesAlong && turn.waitsFor === "offer";
      return isAskedFor || (await this.#isWanted(turn)) ? turn : null;
    }
    const where = await lookUpPlace(store, turn.surface);
    const age = ageText(clock.now() - turn.startedAt);
    const how = turn.state === "waiting" ? "waits to go on" : "has been running";
    output.note(`A turn ${how} ${where} for ${age}: its answer is shown as it is written; /stop ends it.`);
    return null;
  }

  async #isWanted(turn: Turn): Promise<boolean> {
    const { output, reader } = this;
    const how = await whereItStands(this.host, turn);
    if (!output.io.isInteractive) {
      output.note(`${how} \`hermes resume ${turn.sessionId}\` offers to go on with it.`);
      return false;
    }
    output.line(how);
    const { signal } = new AbortController();
    const reply = await reader.decide({ prompt: output.colors.yellow("Go on? [Y/n] "), hint: () => [], signal });
    if (reply.kind === "answer" && (reply.text.trim() === "" || isYes(reply.text))) return true;
    output.note("Left as it is. It is offered again when you open the session; /stop ends it.");
    return false;
  }
}

/** How far a turn came that waits, or was cut off, as sentences. */
async function whereItStands({ store, clock }: Host, turn: Turn): Promise<string> {
  const age = ageText(clock.now() - turn.startedAt);
  if (turn.state === "waiting") {
    const decided = (await store.approvals.ofTurn(turn.id)).map(
      (one) => `${outcomeText(one)}: ${one.tool} ${clip(one.summary, 80)}.`,
    );
    return [`A turn has waited for ${age} to go on.`, ...decided].join(" ");
  }
  const messages = (await store.transcripts.read(turn.sessionId, { limit: LATEST })).filter(
    ({ turnId }) => turnId === turn.id,
  );
  const call = messages.flatMap(({ toolCalls = [] }) => toolCalls).at(-1);
  const request = messages.find(({ role }) => role === "user");
  const last =
    call === undefined
      ? `“${clip(withReadableMarks(request?.text ?? ""), 80)}”`
      : `${call.name} ${clip(JSON.stringify(shownCall(call).input ?? {}), 80)}`;
  return `The turn was cut off ${age} ago, after ${last}.`;
}
