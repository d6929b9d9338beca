import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { ModelTimeouts } from "../config/config.ts";

/** The reason of an AGENT_UNREACHABLE whose answer had begun to come. */
export const BROKE_OFF = "it broke off";

/**
 * Makes a `fetch` with timeouts for a provider's package, which otherwise waits minutes for a silent server. Rejects with
 * AGENT_STALLED when a timeout expires; time in which nobody reads the answer does not count. Rejects with
 * AGENT_UNREACHABLE when the connection is refused, since nobody started that model server, and when it breaks off; with
 * AGENT_REDIRECTED when the server sends the request elsewhere.
 */
export function modelFetch(
  provider: string,
  clock: Clock,
  { firstByteSeconds, idleSeconds }: ModelTimeouts,
): typeof fetch {
  return async (input, init) => {
    const { origin, host } = new URL(input instanceof Request ? input.url : input);
    const stalled = new AbortController();
    const signals = [stalled.signal, ...(init?.signal ? [init.signal] : [])];
    const within = async <T>(seconds: number, work: () => Promise<T>): Promise<T> => {
      const error = new HermesError("AGENT_STALLED", { host, seconds });
      using _timer = clock.setTimer(seconds * 1_000, () => stalled.abort(error));
      return await work();
    };
    try {
      const signal = AbortSignal.any(signals);
      // A redirect is not followed: its target would get the key and the conversation.
      const response = await within(firstByteSeconds, () => fetch(input, { ...init, signal, redirect: "manual" }));
      if (response.status >= 300 && response.status < 400) throw await redirected(provider, response);
      if (response.body === null) return response;
      const body = watched(response.body, async (read) => {
        try {
          return await within(idleSeconds, read);
        } catch (error) {
          // Aborted by whoever reads, or by the timer above.
          for (const signal of signals) signal.throwIfAborted();
          throw new HermesError("AGENT_UNREACHABLE", { provider, reason: BROKE_OFF }, { cause: error });
        }
      });
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    } catch (error) {
      if (!isRefused(error)) throw error;
      throw new HermesError("AGENT_UNREACHABLE", { provider, reason: `nobody listens at ${origin}` });
    }
  };
}

async function redirected(provider: string, { status, headers, url, body }: Response): Promise<HermesError> {
  await body?.cancel();
  const target = headers.get("location") ?? "";
  // Its path may repeat the key.
  const where = URL.canParse(target, url) ? `to ${new URL(target, url).origin}` : "elsewhere";
  return new HermesError("AGENT_REDIRECTED", { provider, status, where });
}

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>["read"]>>;

/** Wraps a stream so that each read goes through `within`. */
function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  within: (read: () => Promise<Chunk>) => Promise<Chunk>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await within(() => reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // No read-ahead: the timeout must run only while the consumer waits.
    { highWaterMark: 0 },
  );
}

/** Whether a `fetch` failed because nothing listens at its address. */
export function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
