import type { PlatformError } from "@hermes/core";
import { z } from "zod";
import {
  identityChanged,
  proofRequired,
  RpcRefusal,
  rateLimited,
  rejected,
  toPlatformError,
  unavailable,
  unregistered,
} from "./errors.ts";
import { canonicalId } from "./source.ts";

const answerSchema = z.object({
  timestamp: z.number().nullish(),
  results: z
    .array(
      z.object({
        recipientAddress: z.object({ uuid: z.string().nullish(), number: z.string().nullish() }).nullish(),
        type: z.string(),
        token: z.string().nullish(),
        retryAfterSeconds: z.number().nullish(),
      }),
    )
    .nullish()
    .transform((results) => results ?? []),
});

export type SendAnswer = z.output<typeof answerSchema>;
type RecipientResult = SendAnswer["results"][number];

/** What `send` and `sendTyping` answer ("JsonSendMessageResult"). */
export function sendAnswer(answer: unknown): SendAnswer {
  return answerSchema.catch({ timestamp: null, results: [] }).parse(answer);
}

/** What a send that reached nobody answered; null for other errors. */
export function answerInError(error: unknown): SendAnswer | null {
  if (!(error instanceof RpcRefusal)) return null;
  const answer = answerSchema.safeParse(error.response);
  return answer.success && answer.data.results.length > 0 ? answer.data : null;
}

/** The error of a send, from what it says of each recipient where it does. */
export function errorOfSend(error: unknown, options: { readonly mayBeDone: boolean }): PlatformError {
  const answer = answerInError(error);
  return (answer && errorOf(answer.results)) ?? toPlatformError(error, options);
}

/** Throws when the message reached nobody; returns the error of those whom it did not reach, or null. */
export function judge({ results }: SendAnswer): PlatformError | null {
  const failed = results.filter(({ type }) => type !== "SUCCESS");
  const error = errorOf(failed);
  if (error !== null && failed.length === results.length) throw error;
  return error;
}

/** Those of the recipients whose safety number changed, by their canonical ids. */
export function untrustedIn({ results }: SendAnswer): string[] {
  return results.filter(({ type }) => type === "IDENTITY_FAILURE").map(nameOf);
}

/** What stands in the way of most comes first: what is waited for, before what a person has to do. */
function errorOf(failed: readonly RecipientResult[]): PlatformError | null {
  const ofType = (type: string) => failed.filter((result) => result.type === type);
  const [untrusted, unknown, limited] = [
    ofType("IDENTITY_FAILURE"),
    ofType("UNREGISTERED_FAILURE"),
    ofType("RATE_LIMIT_FAILURE"),
  ];
  const proof = limited.find(({ token }) => token);
  const longestWait = Math.max(0, ...limited.map(({ retryAfterSeconds }) => retryAfterSeconds ?? 0)) || null;
  if (proof?.token) return proofRequired(proof.token, longestWait);
  if (limited.length > 0) return rateLimited(longestWait);
  if (ofType("NETWORK_FAILURE").length > 0) return unavailable("signal-cli has no connection to Signal");
  if (untrusted.length > 0) return identityChanged(untrusted.map(nameOf));
  if (unknown.length > 0) return unregistered(unknown.map(nameOf).join(", "));
  const [other] = failed;
  return other === undefined ? null : rejected(`${other.type} for ${nameOf(other)}`, "The daemon's log says more.");
}

function nameOf({ recipientAddress }: RecipientResult): string {
  return canonicalId(recipientAddress?.uuid ?? recipientAddress?.number ?? "somebody");
}
