import { apiFetch, type Clock, z } from "@hermes/core";
import {
  DaemonFailure,
  daemonFailed,
  forbidden,
  notTheDaemon,
  RpcRefusal,
  rateLimited,
  unavailable,
} from "./errors.ts";

/** How long the daemon may take for an answer that needs nobody else, in milliseconds. */
const PATIENCE_MS = 30_000;

const rpcAnswer = z.object({
  result: z.unknown().optional(),
  error: z
    .object({
      code: z.number(),
      message: z.string().nullish(),
      data: z.object({ response: z.unknown() }).nullish().catch(null),
    })
    .nullish(),
});

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for the answer, in milliseconds; the signal ends it sooner. */
  readonly patienceMs?: number;
}

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Speaks to `signal-cli daemon --http` (signal-cli-jsonrpc(5)). */
export class DaemonClient {
  readonly url: string;
  readonly #clock: Clock;
  #nextId = 1;
  /** The account that is meant, by the name that the daemon has for it; undefined where it has only one by its start. */
  account: string | undefined;
  /** Whether the daemon serves others besides. */
  isOneOfSeveral = false;

  constructor(url: string, clock: Clock) {
    this.url = url;
    this.#clock = clock;
  }

  /**
   * Calls a method of signal-cli. Throws RpcRefusal where it says no, DaemonFailure, PlatformError or fetch's error
   * where it does not.
   */
  async call(method: string, params: Readonly<Record<string, unknown>>, options: CallOptions = {}): Promise<unknown> {
    const account = this.account === undefined ? {} : { account: this.account };
    const body = { jsonrpc: "2.0", id: this.#nextId++, method, params: { ...account, ...params } };
    const { status, headers, text } = await this.#request("/api/v1/rpc", options, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (status >= 500) throw new DaemonFailure(status);
    if (status !== 200) throw this.#badStatus(status, headers);
    const answer = rpcAnswer.safeParse(parseJson(text));
    if (!answer.success) throw notTheDaemon(this.url, "no JSON-RPC server");
    const { error, result } = answer.data;
    if (error) throw new RpcRefusal(error.code, error.message ?? "no reason was given", error.data?.response);
    return result;
  }

  /** The status of a GET and what it said. */
  get(path: string, options: CallOptions = {}): Promise<{ readonly status: number; readonly text: string }> {
    return this.#request(path, options, {});
  }

  /** Opens the stream of events. With `lastEventId` the daemon first repeats what came behind that event. */
  async openEvents(lastEventId: string | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    // Daemons before 0.13.12 misread the parameter, so it is left out where it says nothing.
    const isNeeded = this.isOneOfSeveral && this.account !== undefined;
    const query = isNeeded ? `?account=${encodeURIComponent(this.account ?? "")}` : "";
    const response = await fetch(`${this.url}/api/v1/events${query}`, {
      headers: {
        accept: "text/event-stream",
        ...(lastEventId === null ? {} : { "last-event-id": lastEventId }),
      },
      redirect: "manual",
      signal,
    });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    if (response.status === 200 && isStream && response.body !== null) return response.body;
    await response.body?.cancel();
    throw response.status === 200
      ? notTheDaemon(this.url, "no stream of events")
      : this.#badStatus(response.status, response.headers);
  }

  async #request(path: string, { signal, patienceMs = PATIENCE_MS }: CallOptions, init: Init) {
    const deadline = new AbortController();
    using _timer = this.#clock.setTimer(patienceMs, () => deadline.abort());
    const signals = signal === undefined ? [deadline.signal] : [deadline.signal, signal];
    const response = await apiFetch(this.url + path, {
      ...init,
      // A connection that is used again may have been closed by then, and nobody could say whether the call got through.
      headers: { ...init.headers, connection: "close" },
      // A send would be repeated elsewhere, with its text.
      redirect: "manual",
      signal: AbortSignal.any(signals),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  #badStatus(status: number, headers: Headers) {
    if (status === 429) return rateLimited(Number(headers.get("retry-after")) || null);
    if (status === 401 || status === 403) {
      return forbidden(`whatever stands before signal-cli answered ${status}`, "Let Hermes reach the daemon directly.");
    }
    if (status === 421) {
      return unavailable(
        "signal-cli does not know itself by the host name in `url`; name it as it was given to `daemon --http`",
      );
    }
    // A path that is not there is another program, or another version, and no limit of Signal's.
    return status >= 500 ? daemonFailed(status) : notTheDaemon(this.url, `not it (${status})`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
