import { type ForkOptions, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { EmulatedPlatform, Writer } from "./emulated-platform.ts";
import type { GatewayNews } from "./tell-asked.ts";

/** How long one step may take before the measurement is called failed, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A process that answers people of an emulated platform and tells when it was asked; the platform is in this process. */
export class AnsweringProcess implements AsyncDisposable {
  readonly #emulated: EmulatedPlatform;
  readonly #child: ReturnType<typeof fork>;
  readonly #ended: Promise<never>;
  /** When an answer was asked for, by what the person wrote, in nanoseconds of the machine's monotonic clock. */
  readonly #asked = new Map<string, bigint>();
  #cpuMicros = 0;
  #heard = Promise.withResolvers<void>();

  /** Resolves when the process is ready. `script` is the address of its file. */
  static async start(
    script: string,
    args: readonly string[],
    emulated: EmulatedPlatform,
    options?: ForkOptions,
  ): Promise<AnsweringProcess> {
    const started = new AnsweringProcess(script, args, emulated, options);
    try {
      await started.#within("the start", started.#ready.promise);
      return started;
    } catch (error) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }

  readonly #ready = Promise.withResolvers<void>();

  private constructor(script: string, args: readonly string[], emulated: EmulatedPlatform, options: ForkOptions = {}) {
    this.#emulated = emulated;
    this.#child = fork(fileURLToPath(script), args, { ...options, stdio: "ignore", execArgv: [] });
    this.#child.on("message", (news: GatewayNews) => this.#hear(news));
    this.#ended = once(this.#child, "exit").then(() => {
      throw new Error(`${script} ended`);
    });
    this.#ended.catch(() => {});
  }

  /** The processor time that the process had used when it was last asked, in microseconds. */
  get cpuMicros(): number {
    return this.#cpuMicros;
  }

  /** Lets a person write, and waits until an answer is asked for: how long that took, in milliseconds. */
  time(at: Writer, text: string): Promise<number> {
    return this.timeUntilAsked(text, () => this.#emulated.emulator.receive({ ...at, text }));
  }

  /** The same from something else that people do. */
  async timeUntilAsked(text: string, act: () => Promise<unknown>): Promise<number> {
    const from = process.hrtime.bigint();
    await act();
    await this.untilAsked([text]);
    return Number((this.#asked.get(text) ?? from) - from) / 1e6;
  }

  async untilAsked(texts: readonly string[]): Promise<void> {
    await this.#within(
      "a turn for each message",
      (async () => {
        while (!texts.every((text) => this.#asked.has(text))) await this.#heard.promise;
      })(),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = this.#child.exitCode === null && this.#child.signalCode === null ? once(this.#child, "exit") : null;
    this.#child.kill("SIGKILL");
    await gone;
  }

  #hear(news: GatewayNews): void {
    if ("ready" in news) {
      this.#ready.resolve();
      return;
    }
    // A group's messages reach the agent with their writer's name in the line before.
    for (const { text, atNs } of news.asked) this.#asked.set(text.split("\n").at(-1) ?? "", BigInt(atNs));
    this.#cpuMicros = news.cpuMicros;
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }

  async #within<T>(what: string, work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const error = new Error(`${what} did not come about on ${this.#emulated.platform}`);
    const timer = setTimeout(() => reject(error), PATIENCE_MS);
    try {
      return await Promise.race([work, this.#ended, promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
