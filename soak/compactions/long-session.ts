import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId, Store } from "@hermes/core/embed";
import { landingAt, seenAt } from "../../e2e/matrix/tally.ts";
import { HERMES_BIN, type HermesMachine, type HermesProcess } from "../../e2e/support/hermes-process.ts";
import { machineWith } from "../../e2e/support/model.ts";
import { openPlace, type Place, type SaidThere } from "../../e2e/support/places.ts";
import type { Draw } from "../plan/draw.ts";
import { filler, SummingModel, WINDOW } from "./summing-model.ts";

export const TERMINAL = "terminal";

/** What became of one message. */
export interface Said {
  readonly token: string;
  readonly place: string;
  /** `killed`: the terminal that asked it was. `told`: Hermes said that it was not answered. */
  readonly fate: "answered" | "killed" | "told";
}

const CTRL_D = "\x04";

/** How often `/compact` is tried until one of its summaries does not fail. */
const TRIES = 3;

/** One session, the places where it is talked to, and the processes that may be killed. All of them are the real ones. */
export class LongSession implements AsyncDisposable {
  readonly model: SummingModel;
  readonly said: Said[] = [];
  kills = 0;
  readonly #draw: Draw;
  readonly #machine: HermesMachine;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #folder: string;
  /** What was seen at each platform, by the messages' ids. */
  readonly #seen = new Map<string, Map<string, string>>();
  #gateway: HermesProcess | null = null;
  #restarted: Promise<void> = Promise.resolve();
  #terminal: HermesProcess | null = null;
  #id: SessionId | null = null;
  #at = TERMINAL;
  #landing: SaidThere | undefined;
  #count = 0;

  private constructor(draw: Draw, model: SummingModel, places: readonly Place[]) {
    this.#draw = draw;
    this.model = model;
    this.#places = new Map(places.map((place) => [place.name, place]));
    this.#machine = machineWith(
      model.server,
      {
        plugins: places.map(({ plugin }) => plugin),
        models: { known: { "openai/journey": { window: WINDOW } } },
        modelTimeouts: { firstByteSeconds: 2 },
      },
      { TERM: "xterm-256color" },
    );
    for (const place of places) place.attach(this.#machine);
    this.#folder = join(realpathSync(this.#machine.folder), "work");
    mkdirSync(this.#folder);
    writeFileSync(join(this.#folder, "notes.txt"), `${filler(draw, 5_000).replaceAll(/(.{80}) /g, "$1\n")}\n`);
  }

  static async begin(draw: Draw, platforms: readonly string[]): Promise<LongSession> {
    const model = await SummingModel.start(draw);
    const places = await Promise.all(platforms.map((name) => openPlace(name)));
    const begun = new LongSession(draw, model, places);
    await begun.#serve();
    return begun;
  }

  get at(): string {
    return this.#at;
  }

  get id(): SessionId {
    if (this.#id === null) throw new Error("the session has not begun");
    return this.#id;
  }

  store(): Promise<Store> {
    return this.#machine.store();
  }

  /** kill -9 of the process that runs the session's turn now. A gateway is started again. */
  kill(): Promise<void> {
    const killed = this.#at === TERMINAL ? this.#terminal : this.#gateway;
    this.kills++;
    killed?.kill("SIGKILL");
    if (this.#at !== TERMINAL) {
      this.#restarted = (async () => {
        await killed?.exited();
        await this.#serve();
      })();
    }
    return this.#restarted;
  }

  /** In a window: the agent wants to run a command, and a person says no, with the reason. */
  async begunWithDenial(command: string, why: string): Promise<void> {
    const screen = await this.#machine.startOnScreen([], { cols: 100, rows: 24, folder: this.#folder });
    await screen.shows(/^›$/m);
    this.model.says({ call: [{ name: "shell", input: { command } }] });
    screen.press("Keep the books of the tide, and tidy up\r");
    await screen.shows(/y once .*\n\?/);
    const { approvals } = await this.store();
    const [approval] = await approvals.open();
    if (approval === undefined) throw new Error("nothing was asked");
    this.#id = approval.sessionId;
    screen.press(`${why}\r`);
    await this.#machine.until(async () => (await approvals.open()).length === 0, "the end of the question");
    await screen.shows(/It goes on here\.[\s\S]*^›$/m);
    screen.press(CTRL_D);
    await screen.window.exited();
  }

  /** Says something where the session is. Resolves when it is known what became of it. */
  async say(words = ""): Promise<Said> {
    const token = `m${++this.#count}x`;
    const place = this.#places.get(this.#at);
    const fate =
      place === undefined
        ? await this.#ask(token, `${words} ${filler(this.#draw, this.#draw.between(200, 3_000))} ${token}`)
        : await this.#write(token, `${words} ${filler(this.#draw, this.#draw.between(200, 900))} ${token}`, place);
    const said = { token, place: this.#at, fate };
    this.said.push(said);
    return said;
  }

  async #ask(token: string, text: string): Promise<Said["fate"]> {
    const asking = this.#start("chat", "-q", text, "--session", this.id);
    const code = await asking.exited();
    if (code === null) return "killed";
    if (code === 0 && asking.stdout.includes(`Heard ${token}.`)) return "answered";
    if (code === 0 || asking.stderr === "") throw new Error(`the terminal ended with ${code}: ${asking.stdout}`);
    return "told";
  }

  async #write(token: string, text: string, place: Place): Promise<Said["fate"]> {
    await place.write(text, this.#landing);
    let fate: Said["fate"] | undefined;
    await this.#machine.until(async () => {
      await this.#restarted;
      await this.#look(place);
      if (this.shown(token, place.name) > 0) fate = "answered";
      else if (await this.#hasFailed(token)) fate = "told";
      return fate !== undefined;
    }, `what became of ${token} on ${place.name}`);
    return fate ?? "told";
  }

  async #hasFailed(token: string): Promise<boolean> {
    const { transcripts } = await this.store();
    const rows = await transcripts.read(this.id);
    const asked = rows.findIndex(({ role, text }) => role === "user" && text.endsWith(token));
    return asked >= 0 && rows.slice(asked).some(({ text }) => text.startsWith("⟦this turn failed"));
  }

  /** `/compact` where the session is. */
  async compact(whatMatters: string): Promise<void> {
    const place = this.#places.get(this.#at);
    const { compactions } = await this.store();
    const count = async () => (await compactions.list(this.id, 1_000)).length;
    const before = await count();
    for (let tried = 0; tried < TRIES && (await count()) === before; tried++) {
      if (place === undefined) {
        await this.#start("compact", this.id, whatMatters).exited();
        continue;
      }
      const before = (await this.#look(place)).size;
      await place.write(`${place.prefix}compact ${whatMatters}`, this.#landing);
      const isAnswered = async () => (await this.#look(place)).size > before;
      await this.#machine.until(isAnswered, `the answer to /compact on ${place.name}`);
    }
  }

  /** Takes the session to another place. */
  async goTo(to: string): Promise<void> {
    const place = this.#places.get(to);
    const before = place === undefined ? null : await seenAt(place);
    const { handoffs } = await this.store();
    const former = (await handoffs.latestOf(this.id))?.id;
    const from = this.#places.get(this.#at);
    if (from === undefined) await this.#machine.json("handoff", to, "--session", this.id, "--yes");
    else await from.write(`${from.prefix}handoff ${to}`, this.#landing);
    await this.#machine.until(async () => {
      const latest = await handoffs.latestOf(this.id);
      if (latest?.state === "failed") throw new Error(`the handoff failed: ${JSON.stringify(latest.error)}`);
      return latest?.id !== former && latest?.state === "completed";
    }, `the end of the handoff to ${to}`);
    if (from !== undefined) await this.#look(from);
    this.#at = to;
    this.#landing = place === undefined || before === null ? undefined : await landingAt(place, before);
  }

  /** The agent asks before it runs a command, and nobody answers: the turn waits. */
  async leaveOpen(command: string): Promise<void> {
    const token = `m${++this.#count}x`;
    this.model.says({ call: [{ name: "shell", input: { command } }] });
    await this.#start("chat", "-q", `Tidy up again ${token}`, "--wait", "--session", this.id).exited();
    if ((await (await this.store()).approvals.open()).length !== 1) throw new Error("no question is open");
  }

  /** Answers the question that is open at a platform by words that mean no. */
  async refuse(why: string): Promise<void> {
    const place = this.#places.get(this.#at);
    if (place === undefined) throw new Error("the session is in the terminal");
    const { approvals, turns } = await this.store();
    const [open] = await approvals.open();
    if (open === undefined) throw new Error("no question is open");
    await this.#machine.until(async () => {
      const turn = await turns.get(open.turnId);
      if (turn === null || turn.surface === TERMINAL) return false;
      return (await approvals.shownAt(turn.surface)).some(({ shownAt }) => shownAt !== null);
    }, `the question on ${place.name}`);
    await place.write(why, this.#landing);
    await this.#machine.until(async () => (await turns.get(open.turnId))?.state === "done", "the end of that turn");
  }

  /** How often the answer to a message was shown at a platform. */
  shown(token: string, at: string): number {
    return [...(this.#seen.get(at)?.values() ?? [])].filter((text) => text.includes(`Heard ${token}.`)).length;
  }

  /** Takes in what stands at a platform now, each message by its id: the page shows no more than the newest. */
  async #look(place: Place): Promise<ReadonlyMap<string, string>> {
    const seen = this.#seen.get(place.name) ?? new Map<string, string>();
    this.#seen.set(place.name, seen);
    for (const { chatId, threadId, id, text } of await place.messages()) seen.set(`${chatId}/${threadId}/${id}`, text);
    return seen;
  }

  #start(...args: string[]): HermesProcess {
    const started = this.#machine.startIn(this.#folder, HERMES_BIN, ...args);
    started.endInput();
    this.#terminal = started;
    return started;
  }

  async #serve(): Promise<void> {
    this.#gateway = await this.#machine.startGateway();
    const { gateways } = await this.store();
    await this.#machine.until(async () => {
      const [gateway] = (await gateways.alive()).filter(({ platforms }) => platforms.length === this.#places.size);
      return gateway?.platforms.every(({ health, home }) => health.state === "up" && home !== null) ?? false;
    }, "every platform");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#restarted.catch(() => {});
    await this.#machine[Symbol.asyncDispose]();
    await Promise.all([...this.#places.values()].map((place) => place[Symbol.asyncDispose]()));
    await this.model[Symbol.asyncDispose]();
  }
}
