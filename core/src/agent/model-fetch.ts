import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { ModelTimeouts } from "../config/config.ts";

/**
 * A `fetch` for the providers' packages, which wait for a silent server for minutes. Rejects with AGENT_STALLED when
 * nothing comes for the time that `timeouts` give; time in which nobody reads the answer does not count. A connection
 * that is refused is told at once: nobody started that model server, and trying again does not help.
 */
export function modelFetch(clock: Clock, { firstByteSeconds, idleSeconds }: ModelTimeouts): typeof fetch {
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
      const request = { ...init, signal: AbortSignal.any(signals) };
      const response = await within(firstByteSeconds, () => fetch(input, request));
      if (response.body === null) return response;
      const body = watched(response.body, (read) => within(idleSeconds, read));
      return new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
    } catch (error) {
      if (!isRefused(error)) throw error;
      throw new Error(`nobody listens at ${origin}`);
    }
  };
}

type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>["read"]>>;

/** The same stream, each read of which goes through `within`. */
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
    // Nothing is read ahead of whoever asks.
    { highWaterMark: 0 },
  );
}

/** Whether a `fetch` failed since nobody listens there. */
export function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
