import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type Clock, systemClock } from "@hermes/core";
import { CannotEmulate } from "./cannot-emulate.ts";
import type {
  EmulatedChat,
  EmulatedInbound,
  EmulatedMessage,
  EmulatedPerson,
  EmulatedThread,
  Emulator,
  EmulatorFailure,
  EmulatorLogEntry,
  EmulatorOptions,
  PlayableFailure,
} from "./emulator.ts";
import { createFailureScript, type FailureScript } from "./failure-script.ts";
import { type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";
import { createRequestLog, type RequestLog } from "./request-log.ts";

/** What an emulator hands to its base class. */
export interface EmulatorParts {
  readonly clock?: Clock | undefined;
  /** The failures that `fail` can play. */
  readonly failures: readonly PlayableFailure[];
  /** The tokens that the emulator accepts; the log redacts them. */
  readonly secrets?: Iterable<string>;
}

/**
 * The base class of emulators: a server, scripted failures, a log of the client's requests, an orderly shutdown. A
 * platform's emulator adds its protocol.
 *
 * ```ts
 * class PagerEmulator extends EmulatorBase {
 *   readonly platform = "pager";
 *
 *   static start(options: EmulatorOptions = {}): Promise<PagerEmulator> {
 *     return new PagerEmulator({ clock: options.clock, failures: FAILURES, secrets: [TOKEN] }).listen(options);
 *   }
 *
 *   protected answer(request: IncomingMessage, response: ServerResponse): void {
 *     this.requests.add("page", {}, 200);
 *     answerJson(response, 200, { ok: true });
 *   }
 *   …
 * }
 * ```
 */
export abstract class EmulatorBase implements Emulator {
  abstract readonly platform: string;
  abstract readonly options: Readonly<Record<string, unknown>>;
  abstract readonly chats: readonly EmulatedChat[];
  abstract readonly people: readonly EmulatedPerson[];
  abstract readonly isConnected: boolean;
  readonly failures: readonly PlayableFailure[];
  protected readonly clock: Clock;
  protected readonly script: FailureScript;
  protected readonly requests: RequestLog;
  #http: LoopbackServer | null = null;

  protected constructor({ clock = systemClock, failures, secrets = [] }: EmulatorParts) {
    this.clock = clock;
    this.failures = failures;
    this.script = createFailureScript({ disconnect: () => this.disconnect(), playable: failures });
    this.requests = createRequestLog({ secrets, clock });
  }

  abstract messages(chatId: string, threadId?: string): readonly EmulatedMessage[];
  abstract receive(message: EmulatedInbound): Promise<{ readonly messageId: string }>;

  /** Answers an HTTP request of the client. */
  protected abstract answer(request: IncomingMessage, response: ServerResponse): void | Promise<void>;

  /** Handles an upgrade to a WebSocket, if the platform has them. */
  protected upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;

  /** Stops whatever the emulator runs besides its server. */
  protected stop(): void | Promise<void> {}

  /** Cuts every connection of the client, which may reconnect. */
  protected disconnect(): void {
    this.#http?.disconnect();
  }

  /** Starts the server. Resolves to the emulator itself. */
  async listen(options: EmulatorOptions): Promise<this> {
    const http = await listenOnLoopback((request, response) => this.answer(request, response), options);
    if (this.upgrade) http.server.on("upgrade", (request, socket, head) => this.upgrade?.(request, socket, head));
    this.#http = http;
    return this;
  }

  get url(): string {
    if (this.#http === null) throw new Error("the emulator is not started");
    return this.#http.url;
  }

  get log(): readonly EmulatorLogEntry[] {
    return this.requests.entries;
  }

  threads(_chatId: string): readonly EmulatedThread[] {
    return [];
  }

  removeThread(_chatId: string, _threadId: string): void {
    throw new CannotEmulate(`there are no threads on ${this.platform}`);
  }

  fail(failure: EmulatorFailure): void {
    this.script.fail(failure);
  }

  heal(): void {
    this.script.heal();
  }

  async close(): Promise<void> {
    this.heal();
    await this.stop();
    await this.#http?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
