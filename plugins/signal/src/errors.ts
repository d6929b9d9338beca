import { PlatformError, platformErrors, z } from "@hermes/core";
import { canonicalId, PLATFORM } from "./source.ts";

const errors = platformErrors(PLATFORM);
export const { beforehand, forbidden, rejected, unavailable } = errors;

/** An error in the daemon's own words ("JSON-RPC", signal-cli-jsonrpc(5)). */
export class RpcRefusal extends Error {
  readonly code: number;
  /** Of a send that reached nobody: its results. */
  readonly response: unknown;

  constructor(code: number, message: string, response?: unknown) {
    super(message);
    this.name = "RpcRefusal";
    this.code = code;
    this.response = response;
  }
}

/** The daemon, or what stands before it, answered a call with `status`, 500 or above, and nothing else. */
export class DaemonFailure extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the daemon answered ${status}`);
    this.name = "DaemonFailure";
    this.status = status;
  }
}

/** Codes of SignalJsonRpcCommandHandler; the others are those of JSON-RPC itself. */
const IO_ERROR = -3;
const UNTRUSTED_KEY = -4;
const RATE_LIMIT = -5;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

/** Java's exceptions of a connection that was not made, as signal-cli quotes them: Signal has been told nothing. */
const NEVER_CONNECTED = /\b(?:Connect|UnknownHost|NoRouteToHost)Exception\b|\bconnect timed out\b|: no connection!/i;

/** Those of a connection that broke: Signal may have taken what was sent. */
const BROKEN = /\(\w*(?:IO|Network|Timeout|Connect|Socket|Push)\w*Exception\)/;

/** How long to wait where Signal does not say, in seconds. */
const UNSAID_WAIT_SECONDS = 60;

/** signal-cli locks an account's files ("SignalAccount"), and its commands wait for the lock without a word. */
export const BESIDE_THE_DAEMON =
  " A command of signal-cli waits while the daemon runs: stop it for that, or ask the daemon, as the plugin's README shows.";

/**
 * What was thrown, as Hermes' own error. `mayBeDone`: whether it may have been done where its answer was lost, or was the
 * daemon's own failure.
 */
export function toPlatformError(error: unknown, { mayBeDone = false } = {}): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof RpcRefusal) return fromRefusal(error, mayBeDone);
  if (error instanceof DaemonFailure) return daemonFailed(error.status, { mayBeDone });
  return errors.lost(error, { mayBeDone, to: "signal-cli" });
}

export function daemonFailed(status: number, options: { readonly mayBeDone?: boolean } = {}): PlatformError {
  return errors.serverFailed(status, { reason: `its daemon answered ${status}`, ...options });
}

function fromRefusal({ code, message }: RpcRefusal, mayBeDone: boolean): PlatformError {
  // Signal's store of attachments says no to the size; its limit of requests bears the same number.
  if (/\[413\].*\battachments\b/i.test(message)) return fileRefused();
  if (code === RATE_LIMIT || /\b(?:413|429)\b|rate limit/i.test(message)) return rateLimited(null);
  if (code === UNTRUSTED_KEY) return identityChanged([]);
  if (code === METHOD_NOT_FOUND) return rejected("this signal-cli does not know how", "Update signal-cli.");
  if (/account (?:does not exist|parameter)/i.test(message)) return accountUnknown();
  if (/authori[sz]ation failed|\[40[13]\]|user is not registered|deregistered/i.test(message)) return unlinked();
  if (/group not found|invalid group id/i.test(message)) return groupUnknown();
  if (/not a member/i.test(message)) return notMember("that group");
  if (/not allowed to send/i.test(message)) return adminsOnly("that group");
  if (/(?:is not|un)registered/i.test(message)) return unregistered("whoever this is for");
  if (NEVER_CONNECTED.test(message)) return unavailable(`signal-cli has no connection to Signal (${message})`);
  const mayHaveGoneOut = mayBeDone ? errors.uncertain : unavailable;
  if (code === IO_ERROR || BROKEN.test(message)) {
    return mayHaveGoneOut(`the connection of signal-cli to Signal broke (${message})`);
  }
  // An internal error: nothing that a client does wrong has this code, and it may come after the message has gone out.
  if (code === INTERNAL_ERROR) return mayHaveGoneOut(`signal-cli failed (${message})`);
  return rejected(message, "The documentation of signal-cli or the log of its daemon says what it means.");
}

function fileRefused(): PlatformError {
  return rejected("Signal takes no file of this size", "Send a smaller one, or a link to it.");
}

/** Whatever answers there is no daemon of signal-cli. */
export function notTheDaemon(url: string, what: string): PlatformError {
  return unavailable(
    `what answers at ${url} is ${what}; start \`signal-cli daemon --http\` (0.11.11 or newer) and name its address as \`url\``,
  );
}

export function rateLimited(seconds: number | null): PlatformError {
  return errors.rateLimited(Math.max(1, Math.ceil(seconds ?? UNSAID_WAIT_SECONDS)) * 1_000);
}

/** Signal takes the account for a machine that sends spam, until somebody solves a captcha. */
function proofRequired(challenge: string, seconds: number | null): PlatformError {
  const wait = seconds === null ? "" : `, or wait ${durationText(seconds)}`;
  return forbidden(
    "Signal wants a proof that a person sends (a captcha)",
    "Solve the captcha at https://signalcaptchas.org/challenge/generate.html, copy the link of “Open Signal”, run " +
      `\`signal-cli submitRateLimitChallenge --challenge ${challenge} --captcha <that link>\`${wait}; then send again.${BESIDE_THE_DAEMON}`,
  );
}

/** The safety number of these people changed, and nobody has confirmed the new one. */
export function identityChanged(people: readonly string[]): PlatformError {
  const whose = people.length === 0 ? "the recipient" : people.join(", ");
  return forbidden(
    `the safety number of ${whose} changed, so this may be somebody else's phone`,
    "Compare the safety number with them, then run `signal-cli trust --verified-safety-number <number> " +
      `${people[0] ?? "<person>"}\`; or set \`trustNewIdentities\` to trust new ones by itself.${BESIDE_THE_DAEMON}`,
  );
}

export function unregistered(who: string): PlatformError {
  return errors.notFound(
    `${who} is not registered with Signal`,
    "Look at the number or UUID; whoever deleted the account or changed the number has another one. A number that is " +
      `hidden from others cannot be written to: use the UUID, which \`signal-cli listContacts\` shows after a first message.${BESIDE_THE_DAEMON}`,
  );
}

export function groupUnknown(): PlatformError {
  return errors.notFound(
    "the account is in no such group",
    "Either the id is wrong (`signal-cli listGroups` shows them), or the account was removed from the group, or it has " +
      `not accepted the invitation yet (\`signal-cli updateGroup -g <id>\` accepts it).${BESIDE_THE_DAEMON}`,
  );
}

export function notMember(name: string): PlatformError {
  return forbidden(
    `the account is not a member of ${name}`,
    `Add it to the group again, or accept the invitation with \`signal-cli updateGroup -g <id>\`.${BESIDE_THE_DAEMON}`,
  );
}

export function adminsOnly(name: string): PlatformError {
  return forbidden(
    `only admins may write in ${name}`,
    "Make the account an admin, or let all members send messages: group settings, Permissions, Send messages.",
  );
}

export function blocked(name: string): PlatformError {
  return forbidden(`the account has blocked ${name}`, `\`signal-cli unblock\` takes that back.${BESIDE_THE_DAEMON}`);
}

export const HOW_TO_WRITE_IDS =
  "a number as +491701234567, a UUID, or a group's id in base64, as `signal-cli listGroups` shows it";

/** Neither a number, nor a UUID, nor a group's id. */
export function notAnId(id: string): PlatformError {
  return errors.notFound(`${JSON.stringify(id)} is no id of a chat`, `Write it otherwise: ${HOW_TO_WRITE_IDS}.`);
}

function accountUnknown(): PlatformError {
  return unavailable("its daemon does not serve the `account` of the config");
}

function unlinked(): PlatformError {
  return forbidden(
    "Signal no longer knows the account of signal-cli: it was unlinked, or registered elsewhere",
    "Link it again with `signal-cli link`, or register it anew, and start the daemon again.",
  );
}

function durationText(seconds: number): string {
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}

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
  return (answer && errorOf(answer.results, options)) ?? toPlatformError(error, options);
}

/** Throws when the message reached nobody; returns the error of those whom it did not reach, or null. */
export function judge({ results }: SendAnswer, options: { readonly mayBeDone: boolean }): PlatformError | null {
  const failed = results.filter(({ type }) => type !== "SUCCESS");
  const error = errorOf(failed, options);
  if (error !== null && failed.length === results.length) throw error;
  return error;
}

/** Those of the recipients whose safety number changed, by their canonical ids. */
export function untrustedIn({ results }: SendAnswer): string[] {
  return results.filter(({ type }) => type === "IDENTITY_FAILURE").map(nameOf);
}

/**
 * Whether a send that is said to have reached nobody may have reached somebody: signal-cli calls every break of its connection
 * to Signal so, a timeout after Signal took the message, too ("SendHelper"). Sent again it would be another message, as the
 * daemon takes no timestamp for it.
 */
export function mayHaveGoneOut({ results }: { readonly results: readonly RecipientResult[] }): boolean {
  return results.some(({ type }) => type === "NETWORK_FAILURE");
}

/**
 * What may have been done comes first, since it is not tried again; then what stands in the way of most: what is waited for,
 * before what a person has to do.
 */
function errorOf(failed: readonly RecipientResult[], { mayBeDone }: { mayBeDone: boolean }): PlatformError | null {
  if (mayBeDone && mayHaveGoneOut({ results: failed })) {
    return errors.uncertain("the connection of signal-cli to Signal failed");
  }
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
