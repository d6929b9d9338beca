import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import { createModelServer, type ModelServer, type ReplyTo } from "@hermes/testing";
import type { HermesMachine } from "./hermes-process.ts";
import { machineWith, startModel } from "./model.ts";
import { openPlace, type Place } from "./places.ts";

const ASKS = /Answer yes or no/;

const LABELS = { yes: "Allow once", no: "No" } as const;

/** The command that the agent wants to run: what it leaves behind shows how often it ran. */
export const COMMAND = "echo ran >> ran.txt; echo the-result-of-it";

/** A machine with one platform, a model that wants to run a command, and a session's folder. */
export class ApprovalCase implements AsyncDisposable {
  readonly folder: string;

  readonly place: Place;
  readonly model: ModelServer;
  readonly machine: HermesMachine;

  private constructor(place: Place, model: ModelServer, machine: HermesMachine) {
    this.place = place;
    this.model = model;
    this.machine = machine;
    this.folder = join(realpathSync(machine.folder), "work");
    mkdirSync(this.folder);
  }

  /** `otherwise`: what the model says when it has asked for the command; by default it repeats the request. */
  static async begin(platform: string, otherwise?: ReplyTo): Promise<ApprovalCase> {
    const place = await openPlace(platform);
    const wanted = { call: [{ name: "shell", input: { command: COMMAND } }] };
    const model = otherwise === undefined ? await startModel(wanted) : await createModelServer([], { otherwise });
    const machine = machineWith(model, { plugins: [place.plugin] });
    place.attach(machine);
    return new ApprovalCase(place, model, machine);
  }

  /** The session that waits for its answer. */
  async waitingSession(): Promise<SessionId> {
    const store = await this.machine.store();
    let found: SessionId | undefined;
    await this.machine.until(async () => {
      found = (await store.approvals.open())[0]?.sessionId;
      return found !== undefined;
    }, "a question");
    if (found === undefined) throw new Error("unreachable");
    return found;
  }

  /** How often the command ran. */
  get ran(): number {
    const file = join(this.folder, "ran.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  }

  /** Waits until the account is served, and what was kept there has been dealt with. */
  async settled(): Promise<void> {
    const { inbox, gateways } = await this.machine.store();
    await this.machine.until(async () => {
      const isServed = (await gateways.alive()).some(({ platforms }) =>
        platforms.every(({ health }) => health.state === "up"),
      );
      return isServed && (await inbox.openLanes(this.place.name, undefined)).length === 0;
    }, "the end of what was kept");
  }

  /** What Hermes says there, in every chat and thread, oldest first. */
  async said(): Promise<readonly string[]> {
    return (await this.place.messages()).map(({ text }) => text);
  }

  /** Answers the open question: by its button where there is one, else by a word. */
  async answer(decision: "yes" | "no"): Promise<void> {
    const said = await this.place.messages();
    const label = LABELS[decision];
    const question =
      said.findLast(({ choices }) => choices.includes(label)) ?? said.findLast(({ text }) => ASKS.test(text));
    if (question === undefined) throw new Error(`${this.place.name} shows no question`);
    if (!(await this.place.press(question, label))) await this.place.write(decision, question);
  }

  asksThere(): Promise<void> {
    return this.saysThere(ASKS);
  }

  async saysThere(pattern: RegExp): Promise<void> {
    await this.machine.until(async () => {
      const said = await this.said().catch(() => []);
      return said.some((text) => pattern.test(text));
    }, `${pattern} on ${this.place.name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
    await this.model.close();
  }
}
