import { count } from "../../base/text.ts";
import type { CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import { clip } from "../../command/words.ts";
import { codeIn } from "../../model/code.ts";
import type { SessionId, SessionMode } from "../../model/session.ts";
import { pruneRegularly } from "../../store/prune-regularly.ts";
import { STORE } from "../../store/store.ts";
import { createLineReader, type LineReader } from "../../terminal/input/line-reader.ts";
import { renderForTerminal } from "../../terminal/render-markdown.ts";
import { Styled } from "../../terminal/styled.ts";
import { pruneOutputs } from "../../tools/prune-outputs.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import { canAsk, confirmBelow, isYes } from "../confirm.ts";

import type { CliContext, TerminalHost } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { answerClaims, linkFromChat } from "../link/link.ts";
import { reportError } from "../report-error.ts";
import { type ChatPlace, createChatPlace } from "./chat-place.ts";
import { ChatTurns } from "./chat-turns.ts";
import { asCodeCommand } from "./code-command.ts";
import { Company } from "./company.ts";
import { completeLine } from "./complete.ts";
import { DeletedSession } from "./deleted-session.ts";
import { handOffFromChat } from "./hand-off.ts";
import { HandoffAhead } from "./hand-off-ahead.ts";
import { type HistoryFile, openHistory } from "./history-file.ts";
import { leaveAway } from "./leave-away.ts";
import { type LeftLinesParts, noteLeftLines, offerLeftLines } from "./left-lines.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { createNews, type News } from "./news.ts";
import { OfferedElsewhere } from "./offered-elsewhere.ts";
import { OpenView } from "./open-view.ts";
import { QueueView } from "./queue-view.ts";
import { createRefusalNews, type RefusalNews } from "./refusal-news.ts";
import { Running } from "./running.ts";
import { SentHere } from "./sent-here.ts";
import { untilToldToEnd } from "./told-to-end.ts";
import { type AheadLine, TypedAhead } from "./typed-ahead.ts";
import { watchHandoff } from "./watch-handoff.ts";

/** Nobody waits for it: a terminal that was just opened has other things to do. In milliseconds. */
const PRUNE_AFTER_MS = 10_000;

export interface ChatOptions {
  /** The session to go on with; null: the first message begins one. */
  readonly sessionId: SessionId | null;
  /** The mode in which a session begins, or goes on. */
  readonly mode?: SessionMode | undefined;
  /** What has to be asked where nobody sits waits for an answer from elsewhere, instead of being denied. */
  readonly waits?: boolean;
}

/**
 * Talks with the person until they leave or the input ends. Leaving writes nothing: nobody owns an idle session.
 * Of what is piped in, returns 1 where a message had no answer, and 75 where a person would have had to be asked.
 */
export async function chat(context: CliContext, host: TerminalHost, options: ChatOptions): Promise<number> {
  using talk = new Chat(context, host, options);
  return await talk.run();
}

class Chat implements Disposable {
  readonly #context: CliContext;
  readonly #host: TerminalHost;
  readonly #place: ChatPlace;
  readonly #history: HistoryFile;
  readonly #news: News;
  readonly #ahead: TypedAhead;
  readonly #refusals: RefusalNews;
  readonly #sentHere: SentHere;
  readonly #reader: LineReader;
  readonly #deleted: DeletedSession;
  readonly #running = new Running();
  readonly #turns: ChatTurns;
  readonly #handoff: HandoffAhead;
  readonly #modes: ModeSwitch;
  readonly #offered: OfferedElsewhere;
  readonly #view: OpenView;
  readonly #company: Company;
  readonly #options: ChatOptions;
  readonly #listening: readonly Disposable[];
  /** The line that is worked on. */
  #line: AheadLine | null = null;
  #isLeaving = false;
  /** Whether the chat goes on when the handoff that runs is over: what is said there is seen meanwhile. */
  #staysOpen = false;
  /** Whether its window was closed while a turn ran. */
  #isCutOff = false;
  /** What the process ends with where the system told it to. */
  #exit: number | null = null;
  #failures = 0;

  constructor(context: CliContext, host: TerminalHost, options: ChatOptions) {
    const { io, output } = context;
    const { sessionId, mode, waits = false } = options;
    this.#options = options;
    const configured = host.config.plugins.map(({ descriptor }) => descriptor.platform);
    this.#context = context;
    this.#host = host;
    this.#history = openHistory(host.home, host.redact);
    this.#news = createNews(output, host);
    this.#company = new Company(output, host);
    this.#refusals = createRefusalNews(output, host.store);
    this.#sentHere = new SentHere(output, host.store);
    this.#place = createChatPlace({
      host,
      workingDirectory: io.workingDirectory,
      sessionId,
      mode,
      requestId: () => this.#line?.id,
      handOff: (from, where, options) => this.#handOff(from, where, options),
      link: (code) => linkFromChat(context, host, code, (_, question) => this.#ask(question)),
      ...(canAsk(output) && { confirm: confirmBelow(output, (question) => this.#reader.ask(question)) }),
    });
    const { container, clock, ids, holder, logger } = host;
    this.#view = new OpenView({ views: container.resolve(STORE).views, holder, clock, logger });
    this.#ahead = new TypedAhead({
      ...{ clock, ids, holder, logger },
      // In the background: it retries by itself, without a message.
      lines: container.resolve(STORE).typedLines,
      session: () => this.#place.current,
      onKept: ({ text }) => {
        // Where the queue is drawn, it stands there.
        if (io.isInteractive && !io.draws && this.#running.what !== null)
          output.note(`· waits its turn: ${clip(text, 80)}`);
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
      typed: () => this.#view.typed(),
      goOn: () => {
        if (this.#running.what === null && this.#offered.take()) this.#reader.wake();
      },
      backTab: () => void this.#attempt(() => this.#modes.next()),
    });
    this.#modes = new ModeSwitch(output, this.#place);
    this.#offered = new OfferedElsewhere(output, host, this.#place);
    this.#handoff = new HandoffAhead(context, host);
    this.#turns = new ChatTurns({
      ...{ context, host, place: this.#place, reader: this.#reader, news: this.#news, ahead: this.#ahead },
      ...{ running: this.#running, waits, handoff: this.#handoff },
      command: (line) => this.#commandAtQuestion(line),
      leave: () => {
        this.#isLeaving = true;
      },
    });
    this.#deleted = new DeletedSession(output, this.#place, this.#reader);
    this.#listening = [
      host.store.watch(() => void this.#showNews()),
      io.onSignal("SIGINT", () => this.#reader.interrupt()),
      ...untilToldToEnd(io, (exit) => this.#end(exit)),
      pruneRegularly({
        ...{ ...host, delayMs: PRUNE_AFTER_MS },
        also: () => pruneOutputs(host.home, clock, async (id) => (await host.store.sessions.get(id)) !== null),
      }),
      this.#reader,
      queue,
      this.#modes,
      this.#offered,
      this.#view,
      this.#news,
    ];
  }

  async run(): Promise<number> {
    const { io } = this.#context;
    const { sessionId, mode } = this.#options;
    if (sessionId !== null && mode !== undefined) await this.#host.store.sessions.setMode(sessionId, mode);
    await this.#modes.show();
    if (io.isInteractive) {
      await this.#refusals.open();
      if (sessionId === null) await this.#sentHere.show(null);
    }
    if (sessionId !== null) await this.#openSession(sessionId);
    else if (io.isInteractive) await noteLeftLines(this.#parts());
    await this.#askAboutHomes();
    while (!this.#isLeaving) {
      this.#noteOpen();
      await this.#attempt(() => this.#answerClaims());
      await this.#attempt(() => this.#turns.tend());
      if (this.#isLeaving) break;
      await this.#attempt(() => this.#offered.look());
      if (this.#offered.isTaken()) {
        await this.#attempt(() => this.#handle("/continue"));
        continue;
      }
      const line = await this.#reader.next();
      if (line === null) break;
      if (line.trim() === "") continue;
      if (io.isInteractive && codeIn(line) === null) this.#history.add(line);
      this.#line ??= this.#ahead.begin(line);
      const before = this.#place.current;
      await this.#attempt(() => this.#handle(line));
      // What came while it was worked on.
      if (!this.#isLeaving) void this.#showNews();
      await this.#attempt(() => this.#ahead.done({ leadsOn: this.#place.current !== before }));
      this.#line = null;
      // A gateway may have begun to serve one meanwhile.
      if (io.isInteractive && !this.#isLeaving) await this.#askAboutHomes();
    }
    await this.#leave();
    if (this.#exit !== null || io.isInteractive) return this.#exit ?? 0;
    return this.#failures + this.#turns.failures > 0 ? 1 : this.#turns.exit;
  }

  /** Lets others know which session is open where a person sits. */
  #noteOpen(): void {
    if (this.#context.io.isInteractive && !this.#isLeaving) this.#view.turnTo(this.#place.current);
  }

  /** What is left of what was typed ahead is for whoever opens the session next. */
  async #leave(): Promise<void> {
    const { io, output } = this.#context;
    await this.#view.close();
    const jobs = this.#host.container.resolve(JOBS).running().length;
    if (jobs > 0) output.note(`Stopping ${count(jobs, "command")} that ran in the background.`);
    const left = await this.#ahead.leave();
    // What was cut off with its window was seen by nobody.
    if (!this.#isCutOff) await this.#attempt(() => leaveAway(output, this.#host.store, this.#place.current));
    if (left === null || !io.isInteractive) return;
    const lines = count(left.count, "line");
    output.note(`What you typed ahead was not sent (${lines}): \`hermes resume ${left.sessionId}\` offers it again.`);
  }

  [Symbol.dispose](): void {
    for (const one of this.#listening) one[Symbol.dispose]();
  }

  async #handle(typed: string): Promise<void> {
    const line = await asCodeCommand(this.#host.store, typed);
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
    await this.#modes.show();
    const after = (await place.session())?.id ?? null;
    if (after !== before && before !== null) await this.#host.store.away.left(before);
    if (after !== before && after !== null && !this.#isLeaving) {
      await this.#openSession(after, { takesAlong: command.name === "continue" });
    }
    if (result.submit !== undefined) await this.#sayHere(result.submit, result.isAgain);
  }

  /** Runs a turn with the message. What others wrote before it is shown before its answer. */
  async #sayHere(text: string, isAgain = false): Promise<void> {
    try {
      await this.#turns.say(text, { isAgain });
    } catch (error) {
      const deleted = await this.#place.deleted();
      if (deleted === null) throw error;
      if (!(await this.#deleted.mayBeginAnew(deleted))) return;
      await this.#place.leaveSession?.();
      this.#ahead.lose();
      await this.#turns.say(text, { isAgain });
    }
  }

  async #commandAtQuestion(line: string): Promise<boolean> {
    const { name = "" } = parseCommand(line) ?? {};
    const command = findCommand(name);
    if (command?.name === "quit") {
      this.#isLeaving = true;
      return false;
    }
    if (command !== null && !command.immediate) {
      this.#context.output.note(`/${command.name} works when the question is answered, or left with Ctrl-C.`);
    } else if (!this.#takeNow(line)) {
      await this.#attempt(async () => void resolveCommand(name, this.#place));
    }
    return true;
  }

  #handOff(from: ChatPlace, where: string, options: { readonly stays: boolean }): Promise<CommandResult> {
    this.#staysOpen = options.stays;
    return this.#running.run("handoff", async (signal) => {
      const deps = { context: this.#context, host: this.#host, reader: this.#reader, signal };
      const { hasLeft } = await handOffFromChat(deps, from, where, options);
      this.#isLeaving ||= hasLeft;
      return { reply: "" };
    });
  }

  /** Shows the steps of a handoff that takes the session which was just opened somewhere. */
  #watchHandoff(id: SessionId): Promise<void> {
    const { io, output } = this.#context;
    if (!io.isInteractive) return Promise.resolve();
    this.#staysOpen = true;
    return this.#running.run("handoff", (signal) => watchHandoff(output, this.#host, id, signal));
  }

  /** `takesAlong`: what was written here before is answered in it. */
  async #openSession(id: SessionId, { takesAlong = false } = {}): Promise<void> {
    // Keep the title, in case the session is deleted.
    await this.#place.session();
    await this.#news.open(id);
    if (this.#context.io.isInteractive) await this.#company.show(id);
    await this.#modes.show();
    if (this.#context.io.isInteractive) await this.#sentHere.take(id);
    await offerLeftLines(this.#parts(), id);
    await this.#attempt(() => this.#watchHandoff(id));
    await this.#turns.open(id, { takesAlong });
    await this.#showNews();
  }

  #askAboutHomes(): Promise<void> {
    const { io, output } = this.#context;
    return askAboutHomes(this.#host, output, io.isInteractive ? (question) => this.#reader.ask(question) : null);
  }

  async #hasClaims(): Promise<boolean> {
    if (!this.#context.io.isInteractive) return false;
    return (await this.#host.store.codes.list("link")).some(({ state }) => state === "taken");
  }

  /** Link codes that somebody sent, whose account is to be confirmed here. */
  async #answerClaims(): Promise<void> {
    if (this.#context.io.isInteractive)
      await answerClaims(this.#context, this.#host, (_, question) => this.#ask(question));
  }

  async #ask(question: string): Promise<boolean | null> {
    const answer = await this.#reader.ask(`${question} (y/n)`);
    return answer === null ? null : isYes(answer);
  }

  /** What other places and terminals wrote, as soon as it is there; a turn of our own shows it by itself. */
  async #showNews(): Promise<void> {
    try {
      this.#noteOpen();
      const { isWaiting } = this.#turns;
      const looksOn = isWaiting || (this.#running.what === "handoff" && this.#staysOpen);
      if (this.#running.what !== null && !looksOn) return;
      const session = await this.#place.session();
      if (session === null) await this.#deleted.tell();
      else await this.#news.show(session.id, { isQuiet: looksOn });
      if (this.#running.what !== null) return;
      this.#modes.seen(session);
      await this.#offered.look();
      if (this.#context.io.isInteractive) {
        if (session !== null) await this.#company.show(session.id);
        await this.#refusals.show(session?.id ?? null);
        await this.#sentHere.show(session?.id ?? null);
      }
      if ((await this.#turns.isDue()) || (await this.#hasClaims())) this.#reader.wake();
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      this.#host.logger.debug({ error }, "could not look at what is new");
    }
  }

  /** A command that does not wait for its turn, typed while something runs. */
  #takeNow(line: string): boolean {
    const command = parseCommand(line);
    if (command?.name === "handoff" && command.argument !== "" && this.#running.what === "turn") {
      void this.#attempt(() => this.#handoff.ask(this.#place, command.argument));
      return true;
    }
    if (command?.name === "now" && command.argument !== "" && this.#running.what === "turn") {
      this.#ahead.push(command.argument, { isNow: true });
      return true;
    }
    if (command === null || findCommand(command.name)?.immediate !== true) return false;
    void this.#attempt(async () => {
      this.#print(await runCommand(command.name, this.#place, command.argument));
      await this.#modes.show();
    });
    return true;
  }

  #interrupt(): void {
    const { io, output } = this.#context;
    const isWaiting = this.#host.patience.takeBack();
    if (this.#running.what === "turn" && this.#handoff.isAsked) {
      void this.#attempt(async () => {
        if (!(await this.#handoff.takeBack())) this.#running.abort();
      });
      return;
    }
    this.#running.abort();
    if (!io.isInteractive) {
      void this.#attempt(() => this.#ahead.drop());
      this.#reader.end();
    } else if (isWaiting) {
      // What is taken back says so itself.
    } else if (this.#running.what === null) {
      this.#reader.discard();
      output.note("Nothing is running. /quit or Ctrl-D leaves.");
    }
  }

  /** Its window was closed, or the system ends it: what was said so far is kept. */
  #end(exit: number): void {
    this.#exit = exit;
    this.#isLeaving = true;
    this.#host.patience.takeBack();
    // A requested handoff continues without this terminal.
    if (this.#running.what === "turn") {
      this.#isCutOff = true;
      this.#running.abort();
    }
    this.#reader.end();
  }

  #parts(): LeftLinesParts {
    const { store, holder } = this.#host;
    return { output: this.#context.output, store, holder, reader: this.#reader, ahead: this.#ahead };
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
