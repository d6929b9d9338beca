import { inject, instanceCachingFactory, Lifecycle, scoped } from "tsyringe";
import { count } from "../../base/text.ts";
import type { CommandContext } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import { pruneHome } from "../../host/prune-home.ts";
import { codeIn } from "../../model/code.ts";
import type { SessionId } from "../../model/session.ts";
import { pruneRegularly } from "../../store/prune-regularly.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { ChatHandoffs } from "./chat-handoffs.ts";
import { chatPlace } from "./chat-place.ts";
import { chatReader } from "./chat-reader.ts";
import { ChatSession } from "./chat-session.ts";
import { ChatTurns } from "./chat-turns.ts";
import { asCodeCommand } from "./code-command.ts";
import { Company } from "./company.ts";
import { DeletedSession } from "./deleted-session.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Ending } from "./ending.ts";
import { HistoryFile } from "./history-file.ts";
import { printReply } from "./immediate-commands.ts";
import { Interruption } from "./interruption.ts";
import { LeaveAway } from "./leave-away.ts";
import { LeftLines } from "./left-lines.ts";
import { LinkClaims } from "./link-claims.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { News } from "./news.ts";
import { OfferedElsewhere } from "./offered-elsewhere.ts";
import { OpenTurn } from "./open-turn.ts";
import { OpenView } from "./open-view.ts";
import { OwnCommands, ownCommandIn } from "./own-command.ts";
import { QueueView } from "./queue-view.ts";
import type { SayAgain } from "./run-turn.ts";
import { Running } from "./running.ts";
import { SentHere } from "./sent-here.ts";
import { StatusRow } from "./status-row.ts";
import { CHAT, type ChatOptions, CONTEXT, FOLDER, HOST, OUTPUT, PLACE, READER } from "./tokens.ts";
import { untilToldToEnd } from "./told-to-end.ts";
import { TypedAhead } from "./typed-ahead.ts";
import { Unasked } from "./unasked.ts";
import { UntoldOutput } from "./untold-output.ts";

/** Nobody waits for it: a terminal that was just opened has other things to do. In milliseconds. */
const PRUNE_AFTER_MS = 10_000;

/**
 * Talks with the person until they leave or the input ends. Leaving writes nothing: nobody owns an idle session.
 * Of what is piped in, returns 1 where a message had no answer, and 75 where a person would have had to be asked.
 */
export async function chat(context: CliContext, host: TerminalHost, options: ChatOptions): Promise<number> {
  const container = host.container.createChildContainer();
  container.registerInstance(CONTEXT, context);
  container.registerInstance(OUTPUT, context.output);
  container.registerInstance(HOST, host);
  container.registerInstance(CHAT, options);
  container.registerInstance(FOLDER, context.io.workingDirectory);
  container.register(READER, { useFactory: instanceCachingFactory(chatReader) });
  container.register(PLACE, { useFactory: instanceCachingFactory(chatPlace) });
  using talk = container.resolve(Chat);
  return await talk.run();
}

@scoped(Lifecycle.ContainerScoped)
class Chat implements Disposable {
  readonly #listening: readonly Disposable[];

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(CHAT) readonly options: ChatOptions,
    @inject(READER) readonly reader: LineReader,
    @inject(PLACE) readonly place: CommandContext,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(HistoryFile) readonly history: HistoryFile,
    @inject(TypedAhead) readonly ahead: TypedAhead,
    @inject(QueueView) readonly queue: QueueView,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
    @inject(Interruption) readonly interruption: Interruption,
    @inject(OwnCommands) readonly own: OwnCommands,
    @inject(UntoldOutput) readonly untold: UntoldOutput,
    @inject(ChatTurns) readonly turns: ChatTurns,
    @inject(OpenTurn) readonly waiting: OpenTurn,
    @inject(Unasked) readonly unasked: Unasked,
    @inject(DeletedSession) readonly deleted: DeletedSession,
    @inject(LeftLines) readonly left: LeftLines,
    @inject(ModeSwitch) readonly modes: ModeSwitch,
    @inject(StatusRow) readonly row: StatusRow,
    @inject(LinkClaims) readonly claims: LinkClaims,
    @inject(ChatHandoffs) readonly handoffs: ChatHandoffs,
    @inject(News) readonly news: News,
    @inject(Company) readonly company: Company,
    @inject(SentHere) readonly sentHere: SentHere,
    @inject(OfferedElsewhere) readonly offered: OfferedElsewhere,
    @inject(OpenView) readonly view: OpenView,
    @inject(Elsewhere) readonly elsewhere: Elsewhere,
    @inject(LeaveAway) readonly away: LeaveAway,
  ) {
    const { store, clock, logger } = host;
    this.#listening = [
      store.watch(() => void elsewhere.show()),
      output.io.onSignal("SIGINT", () => reader.interrupt()),
      ...untilToldToEnd(output.io, (exit) => interruption.end(exit)),
      pruneRegularly({ store, clock, logger, delayMs: PRUNE_AFTER_MS, also: () => pruneHome(host) }),
    ];
  }

  async run(): Promise<number> {
    const { io } = this.output;
    const { sessionId, mode } = this.options;
    if (sessionId !== null && mode !== undefined) await this.host.store.sessions.setMode(sessionId, mode);
    await this.modes.show();
    await this.elsewhere.open(sessionId);
    await this.elsewhere.showStatus();
    if (sessionId !== null) await this.#openSession(sessionId);
    else if (io.isInteractive) await this.left.note();
    await this.#askAboutHomes();
    while (!this.ending.isLeaving) {
      this.elsewhere.noteOpen();
      await this.ending.attempt(() => this.claims.answer());
      await this.ending.attempt(() => this.waiting.tend());
      if (this.ending.isLeaving) break;
      await this.ending.attempt(() => this.offered.look());
      if (this.offered.isTaken()) {
        await this.ending.attempt(() => this.#handle("/continue"));
        continue;
      }
      const line = await this.reader.next();
      if (line === null) break;
      this.modes.settle();
      if (line.trim() === "") continue;
      if (io.isInteractive && codeIn(line) === null) this.history.add(line);
      if (this.ahead.line === null) this.ahead.begin(line);
      const before = this.session.current;
      await this.ending.attempt(() => this.#handle(line));
      // What came while it was worked on.
      if (!this.ending.isLeaving) void this.elsewhere.show();
      await this.ending.attempt(() => this.ahead.done({ leadsOn: this.session.current !== before }));
      this.ahead.line = null;
      // A gateway may have begun to serve one meanwhile.
      if (io.isInteractive && !this.ending.isLeaving) await this.#askAboutHomes();
    }
    await this.#leave();
    const { toldTo, failures } = this.ending;
    if (toldTo !== null || io.isInteractive) return toldTo ?? 0;
    return failures + this.turns.failures > 0 ? 1 : this.unasked.exit;
  }

  /** What is left of what was typed ahead is for whoever opens the session next. */
  async #leave(): Promise<void> {
    const { output } = this;
    // From now on it opens its session no more.
    this.ending.leave();
    // What was cut off with its window was seen by nobody.
    if (!this.interruption.isCutOff) await this.ending.attempt(() => this.away.leave(this.session.current));
    await this.view.close();
    const jobs = this.host.container.resolve(JOBS).running().length;
    if (jobs > 0) output.note(`Stopping ${count(jobs, "command")} that ran in the background.`);
    await this.untold.leave();
    const left = await this.ahead.leave();
    if (left === null || !output.io.isInteractive) return;
    const lines = count(left.count, "line");
    output.note(`What you typed ahead was not sent (${lines}): \`hermes resume ${left.sessionId}\` offers it again.`);
  }

  [Symbol.dispose](): void {
    // The last of them is stopped first.
    using _news = this.news;
    using _view = this.view;
    using _offered = this.offered;
    using _row = this.row;
    using _untold = this.untold;
    using _queue = this.queue;
    using _reader = this.reader;
    for (const one of this.#listening) one[Symbol.dispose]();
  }

  async #handle(typed: string): Promise<void> {
    const { isInteractive } = this.output.io;
    const line = await asCodeCommand(this.host.store, typed);
    const own = isInteractive ? ownCommandIn(line) : null;
    if (own !== null) return this.running.run("command", (signal) => this.own.run(own, signal));
    const command = parseCommand(line);
    if (command === null) return this.#sayHere(line);
    const { place } = this;
    if (resolveCommand(command.name, place, command.argument).name === "quit") {
      this.ending.leave();
      // What a script has behind it is not meant to be read.
      if (!isInteractive) await this.ahead.drop();
      return;
    }
    await this.deleted.tell();
    const before = (await this.session.find())?.id ?? null;
    const result = await runCommand(command.name, place, command.argument);
    printReply(this.output, result);
    await this.modes.show();
    const after = (await this.session.find())?.id ?? null;
    if (after !== before && before !== null) await this.away.turnsFrom(before);
    if (after !== before && after !== null && !this.ending.isLeaving) {
      await this.#openSession(after, { takesAlong: command.name === "continue" });
    }
    if (result.submit !== undefined) {
      await this.#sayHere(result.submit, { isAgain: result.isAgain === true, files: result.submitFiles });
    }
  }

  /** Runs a turn with the message. What others wrote before it is shown before its answer. */
  async #sayHere(text: string, again: SayAgain = { isAgain: false }): Promise<void> {
    try {
      await this.turns.say(text, again);
    } catch (error) {
      const deleted = await this.session.deleted();
      if (deleted === null) throw error;
      if (!(await this.deleted.mayBeginAnew(deleted))) return;
      this.session.leave();
      this.ahead.lose();
      await this.turns.say(text, again);
    }
  }

  /** `takesAlong`: what was written here before is answered in it. */
  async #openSession(id: SessionId, { takesAlong = false } = {}): Promise<void> {
    // Keep the title, in case the session is deleted.
    await this.session.find();
    await this.news.open(id);
    const { isInteractive } = this.output.io;
    if (isInteractive) await this.company.show(id);
    await this.modes.show();
    if (isInteractive) await this.sentHere.take(id);
    await this.own.open(id);
    await this.left.offer(id);
    await this.ending.attempt(() => this.handoffs.watch(id));
    await this.turns.open(id, { takesAlong });
    await this.elsewhere.show();
  }

  #askAboutHomes(): Promise<void> {
    const { host, output, reader } = this;
    return askAboutHomes(host, output, output.io.isInteractive ? (question) => reader.ask(question) : null);
  }
}
