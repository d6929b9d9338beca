import { setTimeout as pause } from "node:timers/promises";
import type { HermesMachine, HermesProcess } from "../../e2e/support/hermes-process.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Who } from "../plan/acts.ts";
import type { StoreFile } from "../store-file.ts";

interface Slot {
  process: HermesProcess | null;
  isFrozen: boolean;
  /** Not to be started again before what took it away is over. */
  isAway: boolean;
}

/** How soon a gateway that ended by itself is started again, in milliseconds. */
const AGAIN_MS = 500;

/** Two gateways on one home: one serves, the other stands by; each is started again when it is gone. */
export class Gateways {
  readonly #machine: HermesMachine;
  readonly #ledger: Ledger;
  readonly #file: StoreFile;
  readonly #slots: readonly Slot[] = [0, 1].map(() => ({ process: null, isFrozen: false, isAway: false }));
  #isEnding = false;
  kills = 0;
  freezes = 0;
  /** Ends that nobody brought about. */
  readonly crashes: string[] = [];

  constructor(machine: HermesMachine, ledger: Ledger, file: StoreFile) {
    this.#machine = machine;
    this.#ledger = ledger;
    this.#file = file;
  }

  /** Starts both. */
  start(): void {
    for (const slot of this.#slots) this.#begin(slot);
  }

  get pids(): readonly number[] {
    return this.#slots.flatMap(({ process }) => (process === null || process.hasExited ? [] : [process.pid]));
  }

  /** kill -9, and a new one after a while. */
  async kill(who: Who, forMs: number): Promise<void> {
    await Promise.all(
      this.#chosen(who).map(async (slot) => {
        const { process } = slot;
        if (process === null || slot.isAway) return;
        slot.isAway = true;
        this.kills++;
        this.#ledger.note(`gateway ${process.pid} is killed (${who})`);
        process.kill("SIGKILL");
        await process.exited();
        await pause(forMs);
        slot.isAway = false;
        this.#begin(slot);
      }),
    );
  }

  /** SIGSTOP, and SIGCONT after a while. */
  async freeze(who: Who, forMs: number): Promise<void> {
    await Promise.all(
      this.#chosen(who).map(async (slot) => {
        const { process } = slot;
        if (process === null || slot.isFrozen || slot.isAway) return;
        slot.isFrozen = true;
        this.freezes++;
        this.#ledger.note(`gateway ${process.pid} is stopped (SIGSTOP, ${who}) for ${forMs} ms`);
        process.kill("SIGSTOP");
        await pause(forMs);
        process.kill("SIGCONT");
        this.#ledger.note(`gateway ${process.pid} goes on (SIGCONT)`);
        slot.isFrozen = false;
      }),
    );
  }

  /** Ends both as a system does at shutdown. Returns the exit codes. */
  async end(): Promise<readonly (number | null)[]> {
    this.#isEnding = true;
    return Promise.all(
      this.#slots.map(({ process }) => {
        process?.kill("SIGTERM");
        return process?.exited() ?? null;
      }),
    );
  }

  #begin(slot: Slot): void {
    if (this.#isEnding) return;
    const process = this.#machine.start("gateway");
    slot.process = process;
    this.#ledger.note(`gateway ${process.pid} is started`);
    void process.exited().then(async (code) => {
      if (slot.isAway || this.#isEnding) return;
      const last = `${process.stdout}\n${process.stderr}`.trim().split("\n").slice(-3).join(" · ");
      this.crashes.push(`gateway ${process.pid} ended by itself with ${code}: ${last}`);
      this.#ledger.note(this.crashes.at(-1) ?? "");
      await pause(AGAIN_MS);
      if (!slot.isAway && slot.process === process) this.#begin(slot);
    });
  }

  #chosen(who: Who): Slot[] {
    if (who === "both") return [...this.#slots];
    const serving = this.#file.servingPid();
    const [first, second] = this.#slots;
    if (first === undefined || second === undefined) return [];
    const isSecond = second.process !== null && second.process.pid === serving;
    return [(who === "serving") === isSecond ? second : first];
  }
}
