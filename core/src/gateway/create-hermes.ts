import type { DependencyContainer } from "tsyringe";
import { HermesError } from "../base/errors.ts";
import { checkConfigValue } from "../config/check-config.ts";
import { CONFIG, type HermesConfig } from "../config/config.ts";
import { followHandoff } from "../handoff/follow-handoff.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { resolvePlace } from "../handoff/resolve-place.ts";
import { sendToTerminal } from "../handoff/send-to-terminal.ts";
import { createHost } from "../host/create-host.ts";
import type { Host } from "../host/host.ts";
import type { NewApproval } from "../model/approval.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import type { Handoff } from "../model/handoff.ts";
import { withoutMarks } from "../model/mark.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";
import { titleFrom } from "../model/title.ts";
import { LEAVING, type TurnEvent } from "../turn/turn-runner.ts";
import { Gateway } from "./gateway.ts";

export interface HermesOptions {
  /** As a config file has it: what `defineConfig` takes. */
  readonly config: HermesConfig;
  /** The folder in which everything is kept: sessions, logs, files of plugins. Nothing is written elsewhere. */
  readonly home: string;
  /**
   * The folder from which plugins are found that the config only names, and in which tools work; by default the working
   * directory.
   */
  readonly folder?: string | undefined;
  /** The variables that Hermes may read, such as a provider's key; by default those of the process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /** Puts parts in place of Hermes' own, such as the store or the agent, by their tokens. */
  readonly override?: ((container: DependencyContainer) => void) | undefined;
}

/** Something that happened, for {@link Hermes.on}. */
export type HermesEvent =
  /** What a turn of {@link Hermes.say} does: it begins, speaks, calls a tool, waits. */
  | { readonly type: "turn"; readonly sessionId: SessionId; readonly event: TurnEvent }
  /** A handoff of {@link Hermes.handOff} has reached another step, or its end. */
  | { readonly type: "handoff"; readonly handoff: Handoff }
  /** The platforms have been tried: which of them are up, and why others are not. */
  | { readonly type: "platforms"; readonly platforms: readonly ServedPlatform[] };

export interface SayOptions {
  /** The session that goes on; without one a new one begins. */
  readonly sessionId?: SessionId | undefined;
  /** Stops the turn; what was said until then is kept. */
  readonly signal?: AbortSignal | undefined;
}

/** What came of a message. */
export interface HermesAnswer {
  readonly sessionId: SessionId;
  /** `done`: the answer is whole. `parked`: the turn waits for `approvals`, and goes on when they are decided. */
  readonly state: "done" | "stopped" | "parked";
  readonly text: string;
  readonly approvals: readonly NewApproval[];
}

/** Hermes within another program. */
export interface Hermes extends AsyncDisposable {
  /** All parts: `host.store` for what is stored, such as sessions and approvals. */
  readonly host: Host;
  /** Serves the platforms of the config; resolves when each is up or has failed. Without it nothing is served. */
  start(): Promise<readonly ServedPlatform[]>;
  /** Ends everything: platforms, turns that run, the store. Idempotent. */
  stop(): Promise<void>;
  /** Says something as the operator, and waits for the answer. Throws a HermesError where there is none. */
  say(text: string, options?: SayOptions): Promise<HermesAnswer>;
  /** Hands a session off: to `pager`, `pager:work` or `pager/#general`. Resolves at its end, completed or failed. */
  handOff(sessionId: SessionId, to: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Handoff>;
  /** Calls `listener` for each event until the result is disposed of. */
  on(listener: (event: HermesEvent) => void): Disposable;
}

/**
 * Makes a Hermes for a program to run within itself. Reads no config file, handles no signal and never ends the process.
 * Throws a HermesError that says what is wrong with the config or the home.
 *
 * @example
 * ```ts
 * await using hermes = await createHermes({ config: { model: "anthropic/claude-sonnet-4-5" }, home: "./.hermes" });
 * const { sessionId, text } = await hermes.say("What is in this folder?");
 * ```
 */
export async function createHermes(options: HermesOptions): Promise<Hermes> {
  const { config, home, folder = process.cwd(), override } = options;
  const environment = { ...(options.environment ?? process.env), HERMES_HOME: home };
  const loaded = await checkConfigValue(config, { folder, home, environment, workingDirectory: folder });
  const host = await createHost({
    role: "gateway",
    environment,
    workingDirectory: folder,
    override(container) {
      container.registerInstance(CONFIG, loaded);
      override?.(container);
    },
  });
  return new EmbeddedHermes(host, folder);
}

class EmbeddedHermes implements Hermes {
  readonly host: Host;
  readonly #folder: string;
  readonly #listeners = new Set<(event: HermesEvent) => void>();
  readonly #leaving = new AbortController();
  readonly #turns = new Set<Promise<unknown>>();
  #gateway: Gateway | null = null;
  #started: Promise<readonly ServedPlatform[]> | null = null;
  #stopped: Promise<void> | null = null;

  constructor(host: Host, folder: string) {
    this.host = host;
    this.#folder = folder;
  }

  start(): Promise<readonly ServedPlatform[]> {
    this.#started ??= this.#serve();
    return this.#started;
  }

  async #serve(): Promise<readonly ServedPlatform[]> {
    const gateway = new Gateway(this.host, () => void this.stop());
    this.#gateway = gateway;
    await gateway.start();
    const platforms = gateway.describe();
    this.#tell({ type: "platforms", platforms });
    return platforms;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  async #end(): Promise<void> {
    this.#leaving.abort(LEAVING);
    await Promise.allSettled([...this.#turns]);
    await this.#gateway?.[Symbol.asyncDispose]();
    await this.host[Symbol.asyncDispose]();
    this.#listeners.clear();
  }

  say(text: string, options: SayOptions = {}): Promise<HermesAnswer> {
    return this.#whileOpen(() => this.#say(text, options));
  }

  async #say(text: string, { sessionId: known, signal }: SayOptions): Promise<HermesAnswer> {
    const { runner } = this.host;
    const sessionId = known ?? (await this.#begin(text));
    const outcome = await runner.run({
      ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text: withoutMarks(text), surface: "terminal" },
      signal: signal ? AbortSignal.any([signal, this.#leaving.signal]) : this.#leaving.signal,
      onEvent: (event) => this.#tell({ type: "turn", sessionId, event }),
    });
    if (outcome.state === "failed") throw outcome.error;
    if (outcome.state === "refused") throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
    const approvals = outcome.state === "parked" ? outcome.approvals : [];
    return { sessionId, state: outcome.state, text: outcome.text, approvals };
  }

  async #begin(text: string): Promise<SessionId> {
    const { store, config, redact } = this.host;
    const { id } = await store.sessions.create({
      ...{ user: OPERATOR, origin: "terminal", originChat: null, title: titleFrom(redact(text)) },
      ...{ model: config.model, workingDirectory: this.#folder },
    });
    return id;
  }

  handOff(
    sessionId: SessionId,
    to: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Handoff> {
    return this.#whileOpen(async () => {
      const { store, clock, config } = this.host;
      const target = await resolvePlace(store, to);
      if (target.kind === "terminal") {
        const session = await store.sessions.get(sessionId);
        if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: sessionId });
        return sendToTerminal(this.host, session, { tells: true });
      }
      const configured = config.plugins.map(({ descriptor }) => descriptor.platform);
      const until = signal ? AbortSignal.any([signal, this.#leaving.signal]) : this.#leaving.signal;
      const wish = { sessionId, to: target, configured, signal: until };
      let { handoff } = await requestHandoff({ store, clock }, wish);
      for await (const progress of followHandoff({ store, clock }, handoff.id, { signal: until })) {
        handoff = progress.handoff;
        this.#tell({ type: "handoff", handoff });
      }
      return handoff;
    });
  }

  on(listener: (event: HermesEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #tell(event: HermesEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.#stopped !== null) throw new Error("This Hermes was stopped: make another one by `createHermes`.");
    const working = work();
    this.#turns.add(working);
    try {
      return await working;
    } finally {
      this.#turns.delete(working);
    }
  }
}
