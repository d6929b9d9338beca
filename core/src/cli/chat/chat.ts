import { ageText, count } from "../../base/text.ts";
import type { CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import { clip } from "../../command/words.ts";
import type { SessionId } from "../../model/session.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import { pruneRegularly } from "../../store/prune-regularly.ts";
import { STORE } from "../../store/store.ts";
import { createLineReader, type LineReader } from "../../terminal/input/line-reader.ts";
import { renderForTerminal } from "../../terminal/render-markdown.ts";
import { Styled } from "../../terminal/styled.ts";
import { pruneOutputs } from "../../tools/prune-outputs.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import { isForTurn, type TurnEvent } from "../../turn/turn-runner.ts";
import { canAsk, confirmBelow } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { reportError } from "../report-error.ts";
import { type ChatPlace, createChatPlace } from "./chat-place.ts";
import { completeLine } from "./complete.ts";
import { DeletedSession } from "./deleted-session.ts";
import { handOffFromChat } from "./hand-off.ts";
import { type HistoryFile, openHistory } from "./history-file.ts";
import { type LeftLinesParts, noteLeftLines, offerLeftLines } from "./left-lines.ts";
import { createNews, type News } from "./news.ts";
import { QueueView } from "./queue-view.ts";
import { createRefusalNews, type RefusalNews } from "./refusal-news.ts";
import { say } from "./say.ts";
import { type AheadLine, TypedAhead } from "./typed-ahead.ts";

/** Nobody waits for it: a terminal that was just opened has other things to do. In milliseconds. */
const PRUNE_AFTER_MS = 10_000;

/** What a shell says of a program that one of these ended. */
const ENDED_BY = { SIGHUP: 129, SIGTERM: 143 } as const;

export interface ChatOptions {
  /** The session to go on with; null: the first message begins one. */
  readonly sessionId: SessionId | null;
}

/**
 * Talks with the person until they leave or the input ends. Leaving writes nothing: nobody owns an idle session.
 * Returns 1 where a message that was piped in had no answer.
 */
export async function chat(context: CliContext, host: TerminalHost, { sessionId }: ChatOptions): Promise<number> {
  using talk = new Chat(context, host, sessionId);
  return await talk.run(sessionId);
}

class Chat implements Disposable {
  readonly #context: CliContext;
  readonly #host: TerminalHost;
  readonly #place: ChatPlace;
  readonly #history: HistoryFile;
  readonly #news: News;
  readonly #ahead: TypedAhead;
  readonly #refusals: RefusalNews;
  readonly #reader: LineReader;
  readonly #deleted: DeletedSession;
  readonly #listening: readonly Disposable[];
  /** What Ctrl-C ends. */
  #running: { readonly what: "turn" | "handoff"; readonly controller: AbortController } | null = null;
  /** The line that is worked on. */
  #line: AheadLine | null = null;
  #isLeaving = false;
  /** What the process ends with where the system told it to. */
  #exit: number | null = null;
  #failures = 0;

  constructor(context: CliContext, host: TerminalHost, sessionId: SessionId | null) {
    const { io, output } = context;
    const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
    this.#context = context;
    this.#host = host;
    this.#history = openHistory(host.home, host.redact);
    this.#news = createNews(output, host.store);
    this.#refusals = createRefusalNews(output, host.store);
    this.#place = createChatPlace({
      host,
      workingDirectory: io.workingDirectory,
      sessionId,
      requestId: () => this.#line?.id,
      handOff: (from, platform) => this.#handOff(from, platform),
      ...(canAsk(output) && { confirm: confirmBelow(output, (question) => this.#reader.ask(question)) }),
    });
    const { container, clock, ids, holder, logger } = host;
    this.#ahead = new TypedAhead({
      ...{ clock, ids, holder, logger },
      // In the background: it retries by itself, without a message.
      lines: container.resolve(STORE).typedLines,
      session: () => this.#place.current,
      onKept: ({ text }) => {
        // Where the queue is drawn, it stands there.
        if (io.isInteractive && !io.draws && this.#running !== null) output.note(`· waits its turn: ${clip(text, 80)}`);
      },
      onChange: () => queue.update(),
    });
    const queue = new QueueView(output, () => this.#ahead.waiting());
    this.#reader = createLineReader(output, {
      history: this.#history.lines,
      ahead: {
        push: (line) => this.#ahead.push(line),
        shift: () => {
          this.#line = this.#ahead.shift();
          return this.#line;
        },
      },
      complete: (line) => completeLine(line, this.#place, configured),
      takeNow: (line) => this.#takeNow(line),
      interrupt: () => this.#interrupt(),
    });
    this.#deleted = new DeletedSession(output, this.#place, this.#reader);
    this.#listening = [
      host.store.watch(() => void this.#showNews()),
      io.onSignal("SIGINT", () => this.#reader.interrupt()),
      ...this.#untilToldToEnd(),
      pruneRegularly({
        ...{ ...host, delayMs: PRUNE_AFTER_MS },
        also: () => pruneOutputs(host.home, clock, async (id) => (await host.store.sessions.get(id)) !== null),
      }),
      this.#reader,
      queue,
    ];
  }

  async run(sessionId: SessionId | null): Promise<number> {
    const { io } = this.#context;
    if (io.isInteractive) await this.#refusals.open();
    if (sessionId !== null) await this.#openSession(sessionId);
    else if (io.isInteractive) await noteLeftLines(this.#parts());
    await this.#askAboutHomes();
    while (!this.#isLeaving) {
      const line = await this.#reader.next();
      if (line === null) break;
      if (line.trim() === "") continue;
      if (io.isInteractive) this.#history.add(line);
      this.#line ??= this.#ahead.begin(line);
      const before = this.#place.current;
      await this.#attempt(() => this.#handle(line));
      await this.#attempt(() => this.#ahead.done({ leadsOn: this.#place.current !== before }));
      this.#line = null;
      // A gateway may have begun to serve one meanwhile.
      if (io.isInteractive && !this.#isLeaving) await this.#askAboutHomes();
    }
    await this.#leave();
    return this.#exit ?? (this.#failures > 0 && !io.isInteractive ? 1 : 0);
  }

  /** What is left of what was typed ahead is for whoever opens the session next. */
  async #leave(): Promise<void> {
    const { io, output } = this.#context;
    const jobs = this.#host.container.resolve(JOBS).running().length;
    if (jobs > 0) output.note(`Stopping ${count(jobs, "command")} that ran in the background.`);
    const left = await this.#ahead.leave();
    if (left === null || !io.isInteractive) return;
    const lines = count(left.count, "line");
    output.note(`What you typed ahead was not sent (${lines}): \`hermes resume ${left.sessionId}\` offers it again.`);
  }

  [Symbol.dispose](): void {
    for (const one of this.#listening) one[Symbol.dispose]();
  }

  async #handle(line: string): Promise<void> {
    const command = parseCommand(line);
    if (command === null) return this.#sayHere(line);
    const place = this.#place;
    if (resolveCommand(command.name, place).name === "quit") {
      this.#isLeaving = true;
      // What a script has behind it is not meant to be read.
      if (!this.#context.io.isInteractive) await this.#ahead.drop();
      return;
    }
    await this.#deleted.tell();
    const before = (await place.session())?.id ?? null;
    const result = await runCommand(command.name, place, command.argument);
    this.#print(result);
    const after = (await place.session())?.id ?? null;
    if (after !== before && after !== null && !this.#isLeaving) await this.#openSession(after);
    if (result.submit !== undefined) await this.#sayHere(result.submit, true);
  }

  /** Runs a turn with the message. What others wrote before it is shown before its answer. */
  async #sayHere(text: string, isAgain = false): Promise<void> {
    try {
      await this.#sayInSession(text, isAgain);
    } catch (error) {
      const deleted = await this.#place.deleted();
      if (deleted === null) throw error;
      if (!(await this.#deleted.mayBeginAnew(deleted))) return;
      await this.#place.leaveSession?.();
      this.#ahead.lose();
      await this.#sayInSession(text, isAgain);
    }
  }

  async #sayInSession(text: string, isAgain: boolean): Promise<void> {
    const { output } = this.#context;
    const session = await this.#place.sessionFor(text);
    this.#ahead.keep();
    await this.#news.skipTo(session.id);
    const cause = await this.#ahead.cause();
    const onEvent = (event: TurnEvent) => {
      if (event.type === "started") this.#ahead.sent(session.id);
      if (event.type === "waiting" && isForTurn(event.for)) this.#ahead.waits(session.id);
    };
    const answer = await this.#interruptible("turn", (signal) =>
      say({ host: this.#host, output, news: this.#news, signal, cause, onEvent, isAgain }, session.id, text),
    );
    if (answer === null) this.#failures += 1;
  }

  #handOff(from: ChatPlace, platform: string): Promise<CommandResult> {
    return this.#interruptible("handoff", async (signal) => {
      const deps = { context: this.#context, host: this.#host, reader: this.#reader, signal };
      const { hasLeft } = await handOffFromChat(deps, from, platform);
      this.#isLeaving ||= hasLeft;
      return { reply: "" };
    });
  }

  async #openSession(id: SessionId): Promise<void> {
    const { store, clock } = this.#host;
    // Keep the title, in case the session is deleted.
    await this.#place.session();
    await this.#news.open(id);
    await offerLeftLines(this.#parts(), id);
    const turn = await store.turns.running(id);
    if (turn === null) return;
    const where = await lookUpPlace(store.bindings, turn.surface);
    const age = ageText(clock.now() - turn.startedAt);
    const note = `A turn has been running ${where} for ${age}: its answer is shown when it is there; /stop ends it.`;
    this.#context.output.note(note);
  }

  #askAboutHomes(): Promise<void> {
    const { io, output } = this.#context;
    return askAboutHomes(this.#host, output, io.isInteractive ? (question) => this.#reader.ask(question) : null);
  }

  /** What other places and terminals wrote, as soon as it is there; a turn of our own shows it by itself. */
  async #showNews(): Promise<void> {
    try {
      if (this.#running !== null) return;
      const session = await this.#place.session();
      if (session === null) await this.#deleted.tell();
      else await this.#news.show(session.id);
      if (this.#context.io.isInteractive) await this.#refusals.show(session?.id ?? null);
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      this.#host.logger.debug({ error }, "could not look at what is new");
    }
  }

  /** A command that does not wait for its turn, typed while something runs. */
  #takeNow(line: string): boolean {
    const command = parseCommand(line);
    if (command === null || findCommand(command.name)?.immediate !== true) return false;
    void this.#attempt(async () => this.#print(await runCommand(command.name, this.#place, command.argument)));
    return true;
  }

  #interrupt(): void {
    const { io, output } = this.#context;
    const isWaiting = this.#host.patience.takeBack();
    this.#running?.controller.abort();
    if (!io.isInteractive) {
      void this.#attempt(() => this.#ahead.drop());
      this.#reader.end();
    } else if (isWaiting) {
      // What is taken back says so itself.
    } else if (this.#running === null) {
      this.#reader.discard();
      output.note("Nothing is running. /quit or Ctrl-D leaves.");
    }
  }

  /** Its window was closed, or the system ends it: what was said so far is kept. A second signal ends it at once. */
  #untilToldToEnd(): Disposable[] {
    const signals = Object.entries(ENDED_BY).map(([signal, exit]) =>
      this.#context.io.onSignal(signal as keyof typeof ENDED_BY, () => {
        for (const one of signals) one[Symbol.dispose]();
        this.#exit = exit;
        this.#isLeaving = true;
        this.#host.patience.takeBack();
        // A requested handoff continues without this terminal.
        if (this.#running?.what === "turn") this.#running.controller.abort();
        this.#reader.end();
      }),
    );
    return signals;
  }

  #parts(): LeftLinesParts {
    const { store, holder } = this.#host;
    return { output: this.#context.output, store, holder, reader: this.#reader, ahead: this.#ahead };
  }

  async #interruptible<T>(what: "turn" | "handoff", work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running = { what, controller };
    try {
      return await work(controller.signal);
    } finally {
      this.#running = null;
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures += 1;
      await reportError(this.#context.output, error);
    }
  }

  #print({ reply }: CommandResult): void {
    if (reply === "") return;
    const { io, output } = this.#context;
    const screen = { width: io.columns(), color: io.color };
    output.line(io.isScreen ? Styled.rendered(renderForTerminal(reply, screen)) : reply);
  }
}
