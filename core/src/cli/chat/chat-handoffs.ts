import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import type { ChatPlace } from "./chat-place.ts";
import { handOffFromTerminal } from "./hand-off.ts";
import type { Running } from "./running.ts";
import { watchHandoff } from "./watch-handoff.ts";

/** The handoffs that are followed while no turn runs: the chat's own, and that of a session that was just opened. */
export class ChatHandoffs {
  readonly #context: CliContext;
  readonly #host: TerminalHost;
  readonly #running: Running;
  #staysOpen = false;

  constructor(context: CliContext, host: TerminalHost, running: Running) {
    this.#context = context;
    this.#host = host;
    this.#running = running;
  }

  /** Whether one runs behind which the chat goes on: what is said at its place is shown meanwhile. */
  get isLookedOn(): boolean {
    return this.#running.what === "handoff" && this.#staysOpen;
  }

  /** `/handoff`. `hasLeft`: the session is there or on its way, and the chat ends. */
  handOff(
    reader: LineReader,
    from: ChatPlace,
    where: string,
    options: { readonly stays: boolean },
  ): Promise<{ readonly hasLeft: boolean }> {
    this.#staysOpen = options.stays;
    return this.#running.run("handoff", (signal) =>
      handOffFromTerminal(this.#context, this.#host, reader, from, where, { ...options, signal }),
    );
  }

  /** Shows the steps of a handoff that takes the session which was just opened somewhere. */
  async watch(id: SessionId): Promise<void> {
    const { io, output } = this.#context;
    if (!io.isInteractive) return;
    this.#staysOpen = true;
    await this.#running.run("handoff", (signal) => watchHandoff(output, this.#host, id, signal));
  }
}
