import type { SessionId, UserId } from "./session.ts";

/** The tokens of one request to a model, as its provider counts them. Each token is in one of the four. */
export interface TokenUsage {
  /** What was sent and neither read from the provider's cache nor written to it. */
  readonly input: number;
  /** What was sent and read from the provider's cache. */
  readonly cacheRead: number;
  /** What was sent and written to the provider's cache. */
  readonly cacheWrite: number;
  /** What the model wrote, its reasoning included. */
  readonly output: number;
}

/** What one request to a model is to be paid for. It is stored in the step that stores what came of the request. */
export interface NewUsage extends TokenUsage {
  /** `message`: it gave a message of the transcript. `nothing`: it failed or was stopped, when the model had begun. */
  readonly kind: "message" | "nothing" | "compaction";
  /** `<provider>/<model>`. */
  readonly model: string;
  /** Who caused it. */
  readonly person: UserId;
  /** Millionths of a US dollar, by the prices of that moment; null where no price is known. */
  readonly cost: number | null;
  /** Whether Hermes estimated the tokens, since the provider did not count them. */
  readonly isEstimated: boolean;
}

/** The request that gave the last message of a session. */
export interface LastUsage extends TokenUsage {
  readonly model: string;
  readonly isEstimated: boolean;
  /** The message that it gave. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Which requests are meant; all of them where nothing is said. */
export interface UsageFilter {
  readonly session?: SessionId | undefined;
  readonly person?: UserId | undefined;
  /** A day of this machine's calendar: `2026-11-29`. */
  readonly day?: string | undefined;
  /** Milliseconds since 1970: the requests from then on. */
  readonly since?: number | undefined;
}

export interface UsageSum extends TokenUsage {
  readonly requests: number;
  /** Millionths of a US dollar: of the requests whose price is known. */
  readonly cost: number;
  /** The tokens of the requests whose price is not known. */
  readonly unpriced: number;
  /** The requests of which the tokens are estimated. */
  readonly estimated: number;
}

export type UsageBy = "turn" | "session" | "day" | "person" | "model";

/** The requests of one turn, session, day, person or model. */
export interface UsageGroup extends UsageSum {
  /** Its id, day or name; null for sessions and turns that were deleted. */
  readonly key: string | null;
  /** The session of a turn; null otherwise, and where it was deleted. */
  readonly sessionId: SessionId | null;
  /** When the first and the last request was, in milliseconds since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
}

export function totalTokens({ input, cacheRead, cacheWrite, output }: TokenUsage): number {
  return input + cacheRead + cacheWrite + output;
}

/** The tokens that a request sent: how full the model's window was. */
export function sentTokens({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

/** The day of a moment in this machine's calendar, as `2026-11-29`. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
