import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Handoff, SessionId } from "@hermes/core/embed";
import { createModelServer, type ModelRequest, type ModelServer } from "@hermes/testing";
import type { Order, Outcome } from "../fixtures/armed.ts";
import { ARMING_FILE, type Arming, type KillPoint, WINDOW } from "../fixtures/kill-at.ts";
import { CLOCK_FILE } from "../fixtures/moved-clock.ts";
import { freePort } from "../support/free-port.ts";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { lastRequest, machineWith } from "../support/model.ts";
import { openPlace, type Place } from "../support/places.ts";
import { WebhookProxy } from "../support/webhook-proxy.ts";
import { wordsIn } from "./tally.ts";

const ARMED = join(import.meta.dirname, "../fixtures/armed.ts");
const ARMED_CLI = join(import.meta.dirname, "../fixtures/armed-cli.ts");

/** Longer than it takes until who has a lease renews it, and who wants it asks again; shorter than it lasts. */
const STEP_MS = 6_000;

/** In which time a process notices that time was moved, in milliseconds. */
const NOTICED_WITHIN_MS = 100;

/** Says what it was asked last, and every word that it knows. */
export function answerWithWords(request: ModelRequest): string {
  const asked = lastRequest(request);
  const known = wordsIn(JSON.stringify(request.messages)).join(" ");
  return /This session was .* continues/.test(asked)
    ? `Standing with ${known}.`
    : `Heard ${wordsIn(asked).at(-1)}, knowing ${known}.`;
}

/** One machine with one platform, two gateways and a terminal, in which one case follows the other. */
export class SagaMachine implements AsyncDisposable {
  readonly place: Place;
  readonly machine: HermesMachine;
  readonly #model: ModelServer;
  readonly #fronts: readonly Front[];
  #gateways: readonly Promise<HermesProcess>[];
  #terminal: Promise<HermesProcess>;
  #steadyMs = 0;
  #windows = 0;

  private constructor(place: Place, model: ModelServer, fronts: readonly Front[]) {
    this.place = place;
    this.#model = model;
    this.#fronts = fronts;
    this.machine = machineWith(model, { plugins: [place.plugin] });
    place.attach(this.machine);
    this.machine.environment[CLOCK_FILE] = join(this.machine.folder, "clock");
    this.machine.environment[ARMING_FILE] = join(this.machine.folder, "arming");
    this.#setClock(0);
    this.disarm();
    this.#gateways = [this.#startGateway(0), this.#startGateway(1)];
    this.#terminal = this.#startTerminal();
  }

  static async begin(platform: string, home: "private" | "threads" = "threads"): Promise<SagaMachine> {
    const place = await openPlace(platform, home);
    const model = await createModelServer([], { otherwise: answerWithWords, remembers: 1 });
    const begun = new SagaMachine(place, model, await frontsOf(place));
    await Promise.all([...begun.#gateways, begun.#terminal]);
    return begun;
  }

  #startGateway(at: number): Promise<HermesProcess> {
    const starting = this.machine.startGateway(ARMED, "gateway", ...this.#configOf(at));
    // Whoever needs it hears of its end; the machine may be taken down before.
    starting.catch(() => {});
    return starting;
  }

  /** The config of a gateway that listens on a port of its own; none where both have the same one. */
  #configOf(at: number): readonly string[] {
    const front = this.#fronts[at];
    if (front === undefined) return [];
    const file = join(this.machine.folder, `gateway-${at}.config.json`);
    const config = JSON.parse(readFileSync(this.machine.configPath, "utf8")) as object;
    const [name, options] = this.place.plugin as [string, { readonly webhook?: object }];
    const plugin = [name, { ...options, webhook: { ...options.webhook, port: front.port } }];
    writeFileSync(file, JSON.stringify({ ...config, plugins: [plugin] }));
    return [file];
  }

  /** The gateway that has the account. */
  async #serving(): Promise<HermesProcess> {
    const gateways = await Promise.all(this.#gateways);
    const { overview } = await this.machine.store();
    let serving: HermesProcess | undefined;
    await this.machine.until(async () => {
      const account = (await overview.leases()).find(({ of }) => of.kind === "account");
      serving = gateways.find(({ pid }) => account?.isLive && pid === account.holder.pid);
      return serving !== undefined;
    }, "that a gateway serves");
    return serving as unknown as HermesProcess;
  }

  #startTerminal(): Promise<HermesProcess> {
    const terminal = this.machine.startScript(ARMED, "terminal");
    const starting = terminal.saysNext(/The terminal is ready\s*/).then(() => terminal);
    starting.catch(() => {});
    return starting;
  }

  /** Has the terminal do something; throws what stood in its way. */
  async order(order: Order): Promise<Outcome> {
    const terminal = await this.#terminal;
    terminal.type(JSON.stringify(order));
    const [line] = await terminal.saysNext(/\{.*\}\n/);
    const outcome = JSON.parse(line) as Outcome;
    if (outcome.error !== undefined) throw new Error(`the terminal could not ${order.do}: ${outcome.error}`);
    return outcome;
  }

  /** Asks in a new session, or in one that is there. Returns the session. */
  async ask(text: string, sessionId?: SessionId): Promise<SessionId> {
    const { sessionId: id } = await this.order({ do: "ask", text, ...(sessionId === undefined ? {} : { sessionId }) });
    if (id === undefined) throw new Error("the terminal named no session");
    return id;
  }

  /** Moves time by six seconds and more, in steps in which the living keep what they have. */
  async moveClock(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      this.#setClock(this.#steadyMs + STEP_MS);
      await new Promise((resolve) => setTimeout(resolve, NOTICED_WITHIN_MS));
    }
  }

  #setClock(steadyMs: number): void {
    this.#steadyMs = steadyMs;
    this.#write(CLOCK_FILE, JSON.stringify({ wallMs: 0, steadyMs }));
  }

  disarm(): void {
    this.#write(ARMING_FILE, "");
  }

  /** Written beside, then renamed: it is read at any moment. */
  #write(variable: string, text: string): void {
    const file = this.machine.environment[variable] ?? "";
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  /** Opens a terminal window with the real `hermes` in it. */
  openWindow(...words: string[]): TerminalWindow {
    const file = join(this.machine.folder, `window-${++this.#windows}.pid`);
    const window = this.machine.startScriptInWindow(ARMED_CLI, file, ...words);
    return { window, pid: () => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0) };
  }

  /** What is to happen to the window that is open, or is opened next. */
  armWindow(point: KillPoint, signal: Arming["signal"]): void {
    this.#write(ARMING_FILE, JSON.stringify({ ...point, pid: WINDOW, signal } satisfies Arming));
  }

  /** Waits until what runs in a window is killed or stopped. */
  async windowStruck({ window, pid }: TerminalWindow, signal: Arming["signal"]): Promise<void> {
    const isStruck = () => (pid() > 0 && isStopped(pid())) || window.hasExited;
    await this.machine.until(isStruck, () => `that the terminal came to where it was to be struck: ${window.stdout}`);
    if (window.hasExited !== (signal === "SIGKILL")) throw new Error(`the terminal ended by itself: ${window.stdout}`);
    this.disarm();
    await this.moveClock(signal === "SIGSTOP" ? 3 : 1);
  }

  /** Ends what runs in a window, as its person does who closes it. */
  async closeWindow({ window, pid }: TerminalWindow): Promise<void> {
    if (pid() > 0 && !window.hasExited) process.kill(pid(), "SIGKILL");
    window.kill("SIGKILL");
    await window.exited();
  }

  async arm(who: "gateway" | "terminal", point: KillPoint, signal: Arming["signal"]): Promise<HermesProcess> {
    const victim = await (who === "gateway" ? this.#serving() : this.#terminal);
    const arming: Arming = { ...point, pid: victim.pid, signal };
    this.#write(ARMING_FILE, JSON.stringify(arming));
    return victim;
  }

  /** Waits until the victim is killed or stopped, and has another one take its place. */
  async struck(who: "gateway" | "terminal", victim: HermesProcess, signal: Arming["signal"]): Promise<void> {
    const isStruck = () => victim.hasExited || isStopped(victim.pid);
    await this.machine.until(isStruck, "that the process came to where it was to be struck");
    if (victim.hasExited !== (signal === "SIGKILL")) throw new Error(`the process ended by itself: ${victim.stderr}`);
    this.disarm();
    if (who === "terminal") {
      this.#terminal = this.#startTerminal();
    } else if (signal === "SIGKILL") {
      const gateways = await Promise.all(this.#gateways);
      this.#gateways = gateways.map((one, at) => (one === victim ? this.#startGateway(at) : Promise.resolve(one)));
    }
    // Longer than any lease lasts, or than it takes until the account of the dead one is asked for again.
    await this.moveClock(signal === "SIGSTOP" ? 3 : 1);
  }

  /** Waits until the gateway that has the account is connected. */
  async untilServed(): Promise<void> {
    const { pid } = await this.#serving();
    const { gateways } = await this.machine.store();
    await this.machine.until(async () => {
      const row = (await gateways.alive()).find(({ holder }) => holder.pid === pid);
      return row?.platforms.every(({ health }) => health.state === "up") ?? false;
    }, "that the platform is served again");
  }

  /** Lets a process go on that was stopped, and waits until it knows what it has lost. */
  async goOn(who: "gateway" | "terminal", victim: HermesProcess): Promise<void> {
    victim.kill("SIGCONT");
    if (who === "terminal") {
      // It says what came of its order; then it is of no more use.
      await victim.saysNext(/\{.*\}\n/);
      victim.kill("SIGKILL");
      await victim.exited();
      return;
    }
    const { gateways } = await this.machine.store();
    await this.moveClock(1);
    await this.machine.until(async () => {
      const row = (await gateways.alive()).find(({ holder }) => holder.pid === victim.pid);
      return row?.platforms.every(({ standby }) => standby) ?? false;
    }, "that the gateway which was stopped stands by");
  }

  /** The latest handoff of a session once it is over. */
  async handoffOver(sessionId: SessionId): Promise<Handoff> {
    const { handoffs } = await this.machine.store();
    let latest: Handoff | null = null;
    await this.machine.until(
      async () => {
        latest = await handoffs.latestOf(sessionId);
        return latest?.state === "completed" || latest?.state === "failed";
      },
      () => `the end of the handoff, which is ${latest?.state} ${latest?.step},`,
    );
    return latest as unknown as Handoff;
  }

  /** Waits until nothing is left to be answered or sent. */
  async quiet(): Promise<void> {
    const { inbox, outbox } = await this.machine.store();
    const { name } = this.place;
    await this.machine.until(
      async () =>
        (await inbox.openLanes(name, undefined)).length + (await outbox.openLanes(name, undefined)).length === 0,
      "the end of what is to be answered and sent",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
    await this.#fronts[0]?.proxy[Symbol.asyncDispose]();
    await this.#model.close();
  }
}

/** The port of a gateway behind a proxy. */
interface Front {
  readonly proxy: WebhookProxy;
  readonly port: number;
}

/** Where a platform calls the gateways, each has a port of its own behind a proxy: one that is stopped keeps its port. */
async function frontsOf({ plugin: [, options] }: Place): Promise<readonly Front[]> {
  const { webhook } = options as { readonly webhook?: { readonly port: number } };
  if (webhook === undefined) return [];
  const ports = [await freePort(), await freePort()];
  const proxy = await WebhookProxy.listen(webhook.port, ports);
  return ports.map((port) => ({ proxy, port }));
}

/** A terminal window with the real `hermes` in it. */
export interface TerminalWindow {
  readonly window: HermesProcess;
  /** The pid of `hermes` itself; 0 before it has begun. */
  pid(): number;
}

function isStopped(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  const stat = existsSync(file) ? readFileSync(file, "utf8") : "";
  return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T");
}
