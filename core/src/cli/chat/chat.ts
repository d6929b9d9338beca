import { ageText } from "../../base/text.ts";
import type { CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import type { Host } from "../../host/host.ts";
import { renderForTerminal } from "../../markdown/render-for-terminal.ts";
import { lookUpPlace } from "../../session/look-up-place.ts";
import type { SessionId } from "../../session/session.ts";
import type { CliContext } from "../context.ts";
import { reportError } from "../report-error.ts";
import { createChatPlace } from "./chat-place.ts";
import { completeLine } from "./complete.ts";
import { handOffFromChat } from "./hand-off.ts";
import { openHistory } from "./history-file.ts";
import { createLineReader } from "./line-reader.ts";
import { createNews } from "./news.ts";
import { say } from "./say.ts";

export interface ChatOptions {
  /** The session to go on with; null: the first message begins one. */
  readonly sessionId: SessionId | null;
}

/**
 * Talks with the person until they leave or the input ends. Leaving writes nothing: nobody owns an idle session.
 * Returns 1 where a message that was piped in had no answer.
 */
export async function chat(context: CliContext, host: Host, { sessionId }: ChatOptions): Promise<number> {
  const { io, output } = context;
  const { store } = host;
  const history = openHistory(host.home);
  const news = createNews(output, store);
  const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
  /** What Ctrl-C ends: the turn or the handoff that runs. */
  let running: AbortController | null = null;
  let isLeaving = false;
  let failures = 0;

  const place = createChatPlace({
    host,
    workingDirectory: io.workingDirectory,
    sessionId,
    handOff: (from, platform) =>
      interruptible(async (signal) => {
        const { hasLeft } = await handOffFromChat({ context, host, reader, signal }, from, platform);
        isLeaving ||= hasLeft;
        return { reply: "" };
      }),
  });
  using reader = createLineReader(io, {
    prompt: output.colors.cyan("› "),
    history: history.lines,
    complete: (line) => completeLine(line, place, configured),
    takeNow,
    interrupt,
  });
  using _interrupt = io.onSignal("SIGINT", interrupt);
  using _watching = store.watch(() => void showNews());
  if (sessionId !== null) await openSession(sessionId);

  while (!isLeaving) {
    const line = await reader.next();
    if (line === null) break;
    if (line.trim() === "") continue;
    if (io.isInteractive) history.add(line);
    await attempt(() => handle(line));
  }
  return failures > 0 && !io.isInteractive ? 1 : 0;

  async function handle(line: string): Promise<void> {
    const command = parseCommand(line);
    if (command === null) return sayHere(line);
    if (resolveCommand(command.name, place).name === "quit") {
      isLeaving = true;
      return;
    }
    const before = (await place.session())?.id ?? null;
    const result = await runCommand(command.name, place, command.argument);
    print(result);
    const after = (await place.session())?.id ?? null;
    if (after !== before && after !== null && !isLeaving) await openSession(after);
    if (result.submit !== undefined) await sayHere(result.submit);
  }

  /** Runs a turn with the message. What others wrote before it is shown before its answer. */
  async function sayHere(text: string): Promise<void> {
    const session = await place.sessionFor(text);
    await news.skipTo(session.id);
    const answer = await interruptible((signal) => say({ host, output, news, signal }, session.id, text));
    if (answer === null) failures += 1;
  }

  async function openSession(id: SessionId): Promise<void> {
    await news.open(id);
    const turn = await store.turns.running(id);
    if (turn === null) return;
    const where = await lookUpPlace(store.bindings, turn.surface);
    const age = ageText(host.clock.now() - turn.startedAt);
    output.note(`A turn has been running ${where} for ${age}: its answer is shown when it is there; /stop ends it.`);
  }

  /** What other places and terminals wrote, as soon as it is there; a turn of our own shows it by itself. */
  async function showNews(): Promise<void> {
    try {
      const session = running === null ? await place.session() : null;
      if (session !== null) await news.show(session.id, (work) => reader.aside(work));
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      host.logger.debug({ error }, "could not look at what is new");
    }
  }

  /** A command that does not wait for its turn, typed while something runs. */
  function takeNow(line: string): boolean {
    const command = parseCommand(line);
    if (command === null || findCommand(command.name)?.immediate !== true) return false;
    void attempt(async () => print(await runCommand(command.name, place, command.argument)));
    return true;
  }

  function interrupt(): void {
    running?.abort();
    if (!io.isInteractive) {
      reader.end();
    } else if (running === null) {
      reader.discard();
      reader.aside(() => output.note("Nothing is running. /quit or Ctrl-D leaves."));
    }
  }

  async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    running = controller;
    try {
      return await work(controller.signal);
    } finally {
      running = null;
    }
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      failures += 1;
      await reportError(output, error);
    }
  }

  function print({ reply }: CommandResult): void {
    if (reply === "") return;
    const { isScreen, color } = io;
    output.line(isScreen ? renderForTerminal(reply, { width: io.columns(), color }) : reply);
  }
}
