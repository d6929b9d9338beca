import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { ModelTimeouts } from "../config/config.ts";

const MIB = 1024 * 1024;

/** Of an answer that refuses a request no more is read, in bytes. */
const LARGEST_REFUSAL = MIB;

/** The largest answer, and the longest line of one, in bytes: a model says megabytes at most, pictures included. */
const LARGEST_ANSWER = 64 * MIB;
const LONGEST_LINE = 8 * MIB;

const NEW_LINE = 0x0a;

/** The reason of an AGENT_UNREACHABLE whose answer had begun to come. */
export const BROKE_OFF = "it broke off";

/**
 * Makes a `fetch` with timeouts for a provider's package, which otherwise waits minutes for a silent server. Rejects with
 * AGENT_STALLED when a timeout expires; time in which nobody reads the answer does not count. Rejects with
 * AGENT_UNREACHABLE when the connection is refused, since nobody started that model server, and when it breaks off; with
 * AGENT_REDIRECTED when the server sends the request elsewhere; with AGENT_FAILED when an answer does not end.
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
      const body = watched(response.body, takerOf(provider, response.status), async (read) => {
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

/** Takes the next bytes of a body: how many of them count. Throws where the body is larger than any answer. */
type Taker = (bytes: Uint8Array) => number;

function takerOf(provider: string, status: number): Taker {
  const tooLarge = (what: string, most: number) =>
    new HermesError("AGENT_FAILED", { reason: `${provider} sent ${what} of more than ${most / MIB} MiB` });
  let size = 0;
  let line = 0;
  return (bytes) => {
    const room = LARGEST_REFUSAL - size;
    size += bytes.length;
    if (status >= 400) return Math.min(room, bytes.length);
    const end = bytes.lastIndexOf(NEW_LINE);
    line = end < 0 ? line + bytes.length : bytes.length - end - 1;
    if (size > LARGEST_ANSWER) throw tooLarge("an answer", LARGEST_ANSWER);
    if (line > LONGEST_LINE) throw tooLarge("a line", LONGEST_LINE);
    return bytes.length;
  };
}

/** Wraps a stream so that each read goes through `within`, and ends it behind what `take` takes of it. */
function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: Taker,
  within: (read: () => Promise<Chunk>) => Promise<Chunk>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await within(() => reader.read());
        if (done) return controller.close();
        try {
          const taken = take(value);
          controller.enqueue(value.subarray(0, taken));
          if (taken === value.length) return;
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        await reader.cancel();
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
