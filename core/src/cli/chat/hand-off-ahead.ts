import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import { handoffInFlight } from "../../handoff/handoff-in-flight.ts";
import { checkHandoff, requestHandoff } from "../../handoff/request-handoff.ts";
import type { Host } from "../../host/host.ts";
import type { HandoffId } from "../../model/handoff.ts";
import { typedTarget } from "../../model/place.ts";
import type { SessionId } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Output } from "../../terminal/output.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { reportError } from "../report-error.ts";
import { ChatSession } from "./chat-session.ts";
import { followFromChat, readWish } from "./hand-off.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** A handoff that is asked for while a turn runs in the chat: the turn is parked at its next step, and goes on there. */
@scoped(Lifecycle.ContainerScoped)
export class HandoffAhead {
  /** Null as well where it could not be asked for. */
  #asked: Promise<HandoffId | null> | null = null;
  #stays = false;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
    @inject(ChatSession) readonly session: ChatSession,
  ) {}

  /** Whether `/handoff` was said while a turn runs, and that was not taken back. */
  get isAsked(): boolean {
    return this.#asked !== null;
  }

  /** `/handoff` while a turn runs. The turn may end before it is asked for: it is followed all the same. */
  async ask(argument: string): Promise<void> {
    const words = argument.split(/\s+/);
    this.#stays = words.includes("--stay");
    const asking = this.#request(words.filter((word) => word !== "--stay").join(" "));
    this.#asked = asking.catch(() => null);
    await asking;
  }

  async #request(typed: string): Promise<HandoffId | null> {
    const { output, host } = this;
    const session = await this.session.find();
    if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: this.session.current ?? "" });
    const { wish, where, isMeant } = await readWish(host, session, typed);
    const { audience, gateway } = await checkHandoff(host, wish);
    if (audience !== null && !isMeant) {
      output.note(`${audience} would read it: type /handoff ${where} yes to confirm, or repeat it after this turn.`);
      return null;
    }
    noteOtherConfig(output, host, gateway);
    const { handoff } = await requestHandoff(host, { ...wish, sessionId: session.id, from: "terminal" });
    if (handoff.waitsForTurn) {
      output.note(
        `It moves to ${typedTarget(wish.to)} at the next step of this turn, which continues there. Ctrl-C cancels.`,
      );
    }
    return handoff.id;
  }

  /** Takes the request back, so that the turn goes on here. False where there is none, or a gateway has it by now. */
  async takeBack(): Promise<boolean> {
    const asked = await this.#take();
    if (asked === null || !(await this.host.store.handoffs.cancelHandoff(asked))) return false;
    this.output.note("Not handed off: the turn goes on here. Ctrl-C again stops it.");
    return true;
  }

  async #take(): Promise<HandoffId | null> {
    const asked = this.#asked;
    this.#asked = null;
    return asked;
  }

  /** Whether a turn was parked for a handoff, whoever asked for that. */
  async isParked(turnId: TurnId): Promise<boolean> {
    return (await this.host.store.turns.get(turnId))?.waitsFor === "handoff";
  }

  /**
   * Shows a session's handoff until it has ended. `moved`: the session is there or on its way. `left`: it was asked for
   * here, too, so that the chat ends. `here`: the session stays, and its turn goes on.
   */
  async follow(sessionId: SessionId, signal: AbortSignal): Promise<"moved" | "left" | "here"> {
    const asked = await this.#take();
    const handoff =
      asked === null ? await handoffInFlight(this.host.store, sessionId) : await this.host.store.handoffs.get(asked);
    if (handoff === null) return "here";
    try {
      const { hasLeft } = await followFromChat(this.output, this.host, handoff, {
        stays: this.#stays,
        signal,
      });
      if (this.#stays) return (await this.host.store.handoffs.get(handoff.id))?.state === "failed" ? "here" : "moved";
      if (!hasLeft) return "here";
      return asked === null ? "moved" : "left";
    } catch (error) {
      // Taken back, or nobody came for it: what was parked for it goes on.
      await reportError(this.output, error);
      return (await handoffInFlight(this.host.store, sessionId)) === null ? "here" : "moved";
    }
  }
}
