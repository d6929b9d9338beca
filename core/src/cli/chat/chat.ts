import { count } from "../../base/text.ts";
import type { CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import { pruneHome } from "../../host/prune-home.ts";
import { codeIn } from "../../model/code.ts";
import type { SessionId, SessionMode } from "../../model/session.ts";
import { pruneRegularly } from "../../store/prune-regularly.ts";
import { copyToClipboard } from "../../terminal/clipboard.ts";
import { renderOn } from "../../terminal/render-markdown.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import { canAsk, confirmBelow } from "../confirm.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { askAboutHomes } from "../home/ask.ts";
import { CallPerson } from "./call-person.ts";
import { ChatHandoffs } from "./chat-handoffs.ts";
import { ChatInput } from "./chat-input.ts";
import { type ChatPlace, createChatPlace } from "./chat-place.ts";
import { ChatTurns, type SayAgain } from "./chat-turns.ts";
import { asCodeCommand } from "./code-command.ts";
import { compactHere } from "./compact-here.ts";
import { DeletedSession } from "./deleted-session.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Ending } from "./ending.ts";
import { exportHere } from "./export-here.ts";
import { FoldedOutput } from "./folded-output.ts";
import { HandoffAhead } from "./hand-off-ahead.ts";
import { ImmediateCommands } from "./immediate-commands.ts";
import { LeaveAway } from "./leave-away.ts";
import { noteLeftLines, offerLeftLines } from "./left-lines.ts";
import { LinkClaims } from "./link-claims.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { createNews, type News } from "./news.ts";
import { OwnCommands, ownCommandIn } from "./own-command.ts";
import { Running } from "./running.ts";
import { showDiff } from "./show-diff.ts";
import { StatusRow } from "./status-row.ts";
import { untilToldToEnd } from "./told-to-end.ts";

/** Nobody waits for it: a terminal that was just opened has other things to do. In milliseconds. */
const PRUNE_AFTER_MS = 10_000;

export interface ChatOptions {
  /** The session to go on with; null: the first message begins one. */
  readonly sessionId: SessionId | null;
  /** The mode in which a session begins, or goes on. */
  readonly mode?: SessionMode | undefined;
  /** The model that a session begins with. */
  readonly model?: string | undefined;
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
  readonly #news: News;
  readonly #input: ChatInput;
  readonly #deleted: DeletedSession;
  readonly #running = new Running();
  readonly #turns: ChatTurns;
  readonly #handoffs: ChatHandoffs;
  readonly #handoff: HandoffAhead;
  readonly #modes: ModeSwitch;
  readonly #claims: LinkClaims;
  readonly #commands: ImmediateCommands;
  readonly #own: OwnCommands;
  readonly #elsewhere: Elsewhere;
  readonly #away: LeaveAway;
  readonly #options: ChatOptions;
  readonly #listening: readonly Disposable[];
  readonly #ending: Ending;
  /** Whether its window was closed while a turn ran. */
  #isCutOff = false;

  constructor(context: CliContext, host: TerminalHost, options: ChatOptions) {
    const { io, output } = context;
    const running = this.#running;
    this.#options = options;
    this.#context = context;
    this.#host = host;
    const ask = (question: string) => this.#input.reader.ask(question);
    const ending = new Ending(output);
    this.#ending = ending;
    const folded = new FoldedOutput();
    this.#away = new LeaveAway(output, host);
    const person = new CallPerson(io, host.clock, host.config.notify);
    this.#claims = new LinkClaims(context, host, ask);
    this.#handoffs = new ChatHandoffs(context, host, running);
    this.#handoff = new HandoffAhead(context, host);
    const place = createChatPlace({
      host,
      workingDirectory: io.workingDirectory,
      sessionId: options.sessionId,
      mode: options.mode,
      model: options.model,
      requestId: () => this.#input.line?.id,
      handOff: (from, where, { stays }) => this.#handOff(from, where, stays),
      link: (code) => this.#claims.link(code),
      ...(canAsk(output) && { confirm: confirmBelow(output, ask) }),
      ...(canAsk(output) &&
        io.draws && { choose: (what, items) => this.#input.reader.choose?.(what, items) ?? Promise.resolve(null) }),
      compact: (session, focus) => compactHere(host, output, running, this.#news, session, focus),
      copy: (text) => copyToClipboard(io, text),
      showDiff: (session) => showDiff(context, host, session),
      exportHere: (session, file) => exportHere(context, host, session, file),
    });
    this.#place = place;
    this.#input = new ChatInput(context, host, place, running, {
      takeNow: (line) => this.#commands.take(line),
      interrupt: () => this.#interrupt(),
      escape: () => void (["turn", "command"].includes(running.what ?? "") && this.#interrupt()),
      typed: () => {
        this.#away.typed();
        this.#elsewhere.typed();
      },
      goOn: () => this.#elsewhere.takeOffer(),
      backTab: () => void this.#ending.attempt(() => this.#modes.next()),
      focus: (isFocused) => person.focus(isFocused),
      unfold: () => folded.unfold(output),
    });
    const { reader, ahead } = this.#input;
    this.#own = new OwnCommands(context, host, place);
    this.#news = createNews(output, host);
    const row = new StatusRow(output);
    this.#modes = new ModeSwitch(output, place, row);
    this.#deleted = new DeletedSession(output, place, reader);
    this.#turns = new ChatTurns({
      context,
      host,
      place,
      running,
      input: this.#input,
      news: this.#news,
      ending,
      person,
      folded,
      handoff: this.#handoff,
      commands: this.#own,
      waits: options.waits ?? false,
      command: (line) => this.#commands.takeAtQuestion(line),
    });
    this.#commands = new ImmediateCommands({
      output,
      place,
      running,
      ahead,
      ending,
      modes: this.#modes,
      handoff: this.#handoff,
      print: (result) => this.#print(result),
    });
    this.#elsewhere = new Elsewhere({
      context,
      host,
      place,
      running,
      news: this.#news,
      row,
      modes: this.#modes,
      deleted: this.#deleted,
      turns: this.#turns,
      handoffs: this.#handoffs,
      claims: this.#claims,
      ending,
      wake: () => reader.wake(),
    });
    this.#listening = [
      host.store.watch(() => void this.#elsewhere.show()),
      io.onSignal("SIGINT", () => reader.interrupt()),
      ...untilToldToEnd(io, (exit) => this.#end(exit)),
      pruneRegularly({
        store: host.store,
        clock: host.clock,
        logger: host.logger,
        delayMs: PRUNE_AFTER_MS,
        also: () => pruneHome(host),
      }),
      this.#input,
      this.#own,
      row,
      this.#elsewhere,
      this.#news,
    ];
  }

  async run(): Promise<number> {
    const { io } = this.#context;
    const { sessionId, mode } = this.#options;
    if (sessionId !== null && mode !== undefined) await this.#host.store.sessions.setMode(sessionId, mode);
    await this.#modes.show();
    await this.#elsewhere.open(sessionId);
    await this.#elsewhere.showStatus();
    if (sessionId !== null) await this.#openSession(sessionId);
    else if (io.isInteractive) await noteLeftLines(this.#context.output, this.#host.store);
    await this.#askAboutHomes();
    while (!this.#ending.isLeaving) {
      this.#elsewhere.noteOpen();
      await this.#ending.attempt(() => this.#claims.answer());
      await this.#ending.attempt(() => this.#turns.tend());
      if (this.#ending.isLeaving) break;
      await this.#ending.attempt(() => this.#elsewhere.offer());
      if (this.#elsewhere.isOfferTaken()) {
        await this.#ending.attempt(() => this.#handle("/continue"));
        continue;
      }
      const line = await this.#input.reader.next();
      if (line === null) break;
      this.#modes.settle();
      if (line.trim() === "") continue;
      if (io.isInteractive && codeIn(line) === null) this.#input.history.add(line);
      this.#input.line ??= this.#input.ahead.begin(line);
      const before = this.#place.current;
      await this.#ending.attempt(() => this.#handle(line));
      // What came while it was worked on.
      if (!this.#ending.isLeaving) void this.#elsewhere.show();
      await this.#ending.attempt(() => this.#input.ahead.done({ leadsOn: this.#place.current !== before }));
      this.#input.line = null;
      // A gateway may have begun to serve one meanwhile.
      if (io.isInteractive && !this.#ending.isLeaving) await this.#askAboutHomes();
    }
    await this.#leave();
    const { toldTo, failures } = this.#ending;
    if (toldTo !== null || io.isInteractive) return toldTo ?? 0;
    return failures + this.#turns.failures > 0 ? 1 : this.#turns.exit;
  }

  /** What is left of what was typed ahead is for whoever opens the session next. */
  async #leave(): Promise<void> {
    const { io, output } = this.#context;
    // From now on it opens its session no more.
    this.#ending.leave();
    // What was cut off with its window was seen by nobody.
    if (!this.#isCutOff) await this.#ending.attempt(() => this.#away.leave(this.#place.current));
    await this.#elsewhere.close();
    const jobs = this.#host.container.resolve(JOBS).running().length;
    if (jobs > 0) output.note(`Stopping ${count(jobs, "command")} that ran in the background.`);
    await this.#own.leave();
    const left = await this.#input.ahead.leave();
    if (left === null || !io.isInteractive) return;
    const lines = count(left.count, "line");
    output.note(`What you typed ahead was not sent (${lines}): \`hermes resume ${left.sessionId}\` offers it again.`);
  }

  [Symbol.dispose](): void {
    for (const one of this.#listening) one[Symbol.dispose]();
  }

  async #handle(typed: string): Promise<void> {
    const line = await asCodeCommand(this.#host.store, typed);
    const own = this.#context.io.isInteractive ? ownCommandIn(line) : null;
    if (own !== null) return this.#running.run("command", (signal) => this.#own.run(own, signal));
    const command = parseCommand(line);
    if (command === null) return this.#sayHere(line);
    const place = this.#place;
    if (resolveCommand(command.name, place, command.argument).name === "quit") {
      this.#ending.leave();
      // What a script has behind it is not meant to be read.
      if (!this.#context.io.isInteractive) await this.#input.ahead.drop();
      return;
    }
    await this.#deleted.tell();
    const before = (await place.session())?.id ?? null;
    const result = await runCommand(command.name, place, command.argument);
    this.#print(result);
    await this.#modes.show();
    const after = (await place.session())?.id ?? null;
    if (after !== before && before !== null) await this.#away.turnsFrom(before);
    if (after !== before && after !== null && !this.#ending.isLeaving) {
      await this.#openSession(after, { takesAlong: command.name === "continue" });
    }
    if (result.submit !== undefined) {
      await this.#sayHere(result.submit, { isAgain: result.isAgain === true, files: result.submitFiles });
    }
  }

  /** Runs a turn with the message. What others wrote before it is shown before its answer. */
  async #sayHere(text: string, again: SayAgain = { isAgain: false }): Promise<void> {
    try {
      await this.#turns.say(text, again);
    } catch (error) {
      const deleted = await this.#place.deleted();
      if (deleted === null) throw error;
      if (!(await this.#deleted.mayBeginAnew(deleted))) return;
      await this.#place.leaveSession?.();
      this.#input.ahead.lose();
      await this.#turns.say(text, again);
    }
  }

  async #handOff(from: ChatPlace, where: string, stays: boolean): Promise<CommandResult> {
    const { hasLeft } = await this.#handoffs.handOff(this.#input.reader, from, where, { stays });
    if (hasLeft) this.#ending.leave();
    return { reply: "" };
  }

  /** `takesAlong`: what was written here before is answered in it. */
  async #openSession(id: SessionId, { takesAlong = false } = {}): Promise<void> {
    // Keep the title, in case the session is deleted.
    await this.#place.session();
    await this.#news.open(id);
    await this.#elsewhere.showCompany(id);
    await this.#modes.show();
    await this.#elsewhere.take(id);
    await this.#own.open(id);
    await offerLeftLines(this.#context.output, this.#host, this.#input, id);
    await this.#ending.attempt(() => this.#handoffs.watch(id));
    await this.#turns.open(id, { takesAlong });
    await this.#elsewhere.show();
  }

  #askAboutHomes(): Promise<void> {
    const { io, output } = this.#context;
    return askAboutHomes(this.#host, output, io.isInteractive ? (question) => this.#input.reader.ask(question) : null);
  }

  #interrupt(): void {
    const { io, output } = this.#context;
    this.#away.looksOn();
    const isWaiting = this.#host.patience.takeBack();
    if (this.#running.what === "turn" && this.#handoff.isAsked) {
      void this.#ending.attempt(async () => {
        if (!(await this.#handoff.takeBack())) this.#running.abort();
      });
      return;
    }
    this.#running.abort();
    if (!io.isInteractive) {
      void this.#ending.attempt(() => this.#input.ahead.drop());
      this.#input.reader.end();
    } else if (isWaiting) {
      // What is taken back says so itself.
    } else if (this.#running.what === null) {
      this.#input.reader.discard();
      output.note("Nothing is running. /quit or Ctrl-D leaves.");
    }
  }

  /** Its window was closed, or the system ends it: what was said so far is kept. */
  #end(exit: number): void {
    this.#ending.tell(exit);
    this.#host.patience.takeBack();
    // A requested handoff continues without this terminal.
    if (this.#running.what === "turn") this.#isCutOff = true;
    if (this.#running.what !== "handoff") this.#running.abort();
    this.#input.reader.end();
  }

  #print({ reply }: CommandResult): void {
    if (reply === "") return;
    const { io, output } = this.#context;
    output.line(io.isScreen ? renderOn(io, output.asCalled(reply)) : reply);
  }
}
