import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import type { CommandResult } from "../../command/command.ts";
import { requestHandoff } from "../../handoff/request-handoff.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import { isYes } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { launchGateway } from "../gateway/launch.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { outlookOnTerminal } from "../handoff/outlook.ts";
import { audienceQuestion } from "../handoff/print-arrival.ts";
import { ChatSession } from "./chat-session.ts";
import { Ending } from "./ending.ts";
import { followFromChat, type HandOffOptions, readWish } from "./hand-off.ts";
import { Running } from "./running.ts";
import { CONTEXT, HOST, READER } from "./tokens.ts";
import { watchHandoff } from "./watch-handoff.ts";

/** How long a gateway may take to claim it, in milliseconds. */
const CLAIM_WITHIN_MS = 60_000;

/** The handoffs that are followed while no turn runs: the chat's own, and that of a session that was just opened. */
@scoped(Lifecycle.ContainerScoped)
export class ChatHandoffs {
  #staysOpen = false;

  constructor(
    @inject(CONTEXT) readonly context: CliContext,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
  ) {}

  /** Whether one runs behind which the chat goes on: what is said at its place is shown meanwhile. */
  get isLookedOn(): boolean {
    return this.running.what === "handoff" && this.#staysOpen;
  }

  /** `/handoff`: once the session is at the platform or on its way, the chat ends, unless it `stays`. */
  async handOff(typed: string, stays: boolean): Promise<CommandResult> {
    this.#staysOpen = stays;
    const { hasLeft } = await this.running.run("handoff", (signal) => this.#handOff(typed, { stays, signal }));
    if (hasLeft) this.ending.leave();
    return { reply: "" };
  }

  /** Shows the steps of a handoff that takes the session which was just opened somewhere. */
  async watch(id: SessionId): Promise<void> {
    const { io, output } = this.context;
    if (!io.isInteractive) return;
    this.#staysOpen = true;
    await this.running.run("handoff", (signal) => watchHandoff(output, this.host, id, signal));
  }

  async #handOff(typed: string, options: HandOffOptions): Promise<{ readonly hasLeft: boolean }> {
    const { context, host, reader } = this;
    const { output } = context;
    const current = await this.session.find();
    const { wish, where, isMeant: isConfirmed } = await readWish(host, current, typed);
    const { signal } = options;

    const { audience, gateway, ttlMs } = await outlook();
    noteOtherConfig(output, host, gateway);
    if (audience !== null && !isConfirmed && !(await isMeant(audience))) {
      output.line("Not handed off.");
      return { hasLeft: false };
    }
    // A session without a message can be handed off too; it is made only now, when nothing is in the way.
    const { id: sessionId } = current ?? (await this.session.begin());
    const { handoff } = await requestHandoff(host, { ...wish, sessionId, from: "terminal", ttlMs, signal });
    return followFromChat(output, host, handoff, options);

    /** What the handoff would find. Offers to start a gateway where none runs. */
    async function outlook() {
      const wait = { ttlMs: CLAIM_WITHIN_MS, signal };
      try {
        return await outlookOnTerminal(output, host, wish, wait);
      } catch (error) {
        if (!(error instanceof HermesError) || error.code !== "HANDOFF_NO_GATEWAY") throw error;
        if (!isYes(await reader.ask(`${error.message} Start one now? (y/n)`))) throw error;
        const { holder } = await launchGateway(context, host, { platform: wish.to.platform });
        output.note(`A gateway runs now (pid ${holder.pid}); \`hermes gateway stop\` stops it.`);
        return await outlookOnTerminal(output, host, wish, wait);
      }
    }

    async function isMeant(audience: string): Promise<boolean> {
      const answer = await reader.ask(`${audienceQuestion(audience)} (y/n)`);
      if (answer !== null) return isYes(answer);
      throw new HermesError("HANDOFF_READ_BY_OTHERS", { readers: audience, command: `/handoff ${where} yes` });
    }
  }
}
