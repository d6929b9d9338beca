import { attachmentIn } from "./attachment.ts";
import type { Params } from "./params.ts";
import { groupNotFound, methodNotFound, notAMember, Refusal, sendingNotAllowed, userError } from "./refusal.ts";
import type { ResultType, WireResult, WireStyle } from "./wire.ts";
import { type Group, makePerson, type Person, SELF, type World } from "./world.ts";

/** signal-cli moves what is longer into a file, in bytes ("MAX_MESSAGE_SIZE_BYTES"). */
const LONGEST_TEXT = 2000;

const STYLES = new Set(["BOLD", "ITALIC", "SPOILER", "STRIKETHROUGH", "MONOSPACE"]);

/** A chat that something is sent to, and who is in it. */
interface Target {
  readonly chatId: string;
  readonly group: Group | null;
  readonly people: readonly Person[];
}

/** `send`: a message, or with `editTimestamp` another text for one. */
export function send(world: World, params: Params, forced: ResultType | null): unknown {
  const targets = targetsIn(world, params);
  const text = params.string("message") ?? "";
  const files = params.list("attachment").map(attachmentIn);
  const styles = params.list("textStyle").map(styleIn);
  const editTimestamp = params.number("editTimestamp");
  if (text === "" && files.length === 0) {
    throw userError("Sending empty message is not allowed, either a message, attachment or sticker must be given.");
  }
  const timestamp = world.newTimestamp();
  const answer = resultsOf(targets, timestamp, forced);
  const isLong = Buffer.byteLength(text) > LONGEST_TEXT;
  const raw = { text, styles, isLong, mentions: params.list("mention") };
  for (const { chatId, people } of targets) {
    if (people.length > 0 && !answer.results.some(({ type }) => type === "SUCCESS")) continue;
    const messages = world.messagesIn(chatId);
    const edited = messages.find((message) => message.author === SELF.uuid && message.timestamp === editTimestamp);
    // Nobody hears of an edit whose message is not there.
    if (edited) Object.assign(edited, { text, raw, isEdited: true });
    if (editTimestamp === undefined) {
      messages.push({ author: SELF.uuid, timestamp, text, raw, isEdited: false, files });
    }
  }
  return succeeded(answer);
}

/** `sendTyping`: shows or hides the sign, and says to whom that was possible. */
export function sendTyping(world: World, params: Params): unknown {
  return succeeded(resultsOf(targetsIn(world, params), world.newTimestamp(), null));
}

interface Answer {
  readonly timestamp: number;
  readonly results: readonly WireResult[];
}

function resultsOf(targets: readonly Target[], timestamp: number, forced: ResultType | null): Answer {
  const results = targets.flatMap(({ group, people }) =>
    people.map((person): WireResult => {
      const { uuid, number } = person;
      const type = forced ?? typeFor(person);
      return { recipientAddress: { uuid, number }, ...(group ? { groupId: group.id } : {}), type };
    }),
  );
  return { timestamp, results };
}

function typeFor({ isRegistered, isUntrusted }: Person): ResultType {
  if (!isRegistered) return "UNREGISTERED_FAILURE";
  return isUntrusted ? "IDENTITY_FAILURE" : "SUCCESS";
}

/** A send that reached nobody is an error, which has the results in it ("SendMessageResultUtils"). */
function succeeded(answer: Answer): Answer {
  const types = new Set(answer.results.map(({ type }) => type));
  if (types.size === 0 || types.has("SUCCESS")) return answer;
  if (types.size > 1) throw userError("Failed to send message", answer);
  if (types.has("IDENTITY_FAILURE")) {
    throw new Refusal(-4, "Failed to send message due to untrusted identities", answer);
  }
  if (types.has("RATE_LIMIT_FAILURE")) throw new Refusal(-5, "Failed to send message due to rate limiting", answer);
  throw userError("Failed to send message", answer);
}

function targetsIn(world: World, params: Params): Target[] {
  const people = params.list("recipient").map((id) => personTarget(world, id));
  const groups = params.list("groupId").map((id) => groupTarget(world, id));
  const self: Target[] = params.flag("noteToSelf") ? [{ chatId: SELF.uuid, group: null, people: [SELF] }] : [];
  const targets = [...people, ...groups, ...self];
  if (targets.length === 0) throw userError("No recipients given");
  return targets;
}

function personTarget(world: World, id: string): Target {
  if (!/^(?:\+\d{5,15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(id)) {
    throw userError(`Invalid phone number '${id}'`);
  }
  const nobody: Person = { ...makePerson("", id, null), isRegistered: false, isKnown: false };
  const person = world.person(id) ?? nobody;
  return { chatId: person.uuid, group: null, people: [person] };
}

function groupTarget(world: World, id: string): Target {
  const bytes = Buffer.from(id, "base64");
  if (bytes.length !== 32 && bytes.length !== 16) throw userError(`Invalid group id: ${id}`);
  const group = world.group(bytes.toString("base64"));
  if (group === undefined) throw groupNotFound(id);
  if (!group.isMember) throw notAMember(group.id, group.name);
  if (group.onlyAdminsSend) throw sendingNotAllowed(group.id, group.name);
  return { chatId: group.id, group, people: group.members };
}

function styleIn(written: string): WireStyle {
  const [, start, length, style = ""] = /^(\d+):(\d+):(.+)$/.exec(written) ?? [];
  if (start === undefined) {
    throw userError(`Invalid textStyle syntax (${written}) expected 'start:length:STYLE'`);
  }
  if (!STYLES.has(style)) throw userError(`Invalid style: ${style}`);
  return { style, start: Number(start), length: Number(length) };
}

/** Refusals that a script may ask for by name, beside the results of a send by theirs. */
const BY_NAME: Readonly<Record<string, (id: string) => Refusal>> = {
  GROUP_NOT_FOUND: groupNotFound,
  NOT_A_GROUP_MEMBER: (id) => notAMember(id, "A group"),
  SENDING_NOT_ALLOWED: (id) => sendingNotAllowed(id, "A group"),
  UNAUTHORIZED: () =>
    new Refusal(-32603, "Failed to send message: [401] Authorization failed! (AuthorizationFailedException)"),
  TOO_MANY_REQUESTS: () =>
    new Refusal(-32603, "Failed to send message: [429] Rate limit exceeded: 429 (RateLimitException)"),
  IO_ERROR: () => new Refusal(-3, "Failed to send message: timeout (SocketTimeoutException)"),
  INVALID_STYLE: () => userError("Invalid style: WAVY"),
  CONTENT_TOO_LARGE: () =>
    new Refusal(
      -32603,
      "Failed to send message: [413] Response: Response{protocol=h2, code=413, message=, url=https://cdn3.signal.org/upload/attachments/x} (NonSuccessfulResponseCodeException)",
    ),
  ATTACHMENT_INVALID: () => userError("Failed to send message: Failed to add attachment (AttachmentInvalidException)"),
  METHOD_NOT_FOUND: methodNotFound,
};

/**
 * A refusal in the daemon's words: of one of the names above, or that each recipient had this result, but for those whose
 * safety number changed.
 */
export function refuseAs(world: World, params: Params, code: string, retryAfterSeconds?: number): Refusal {
  const [id = ""] = [...params.list("groupId"), ...params.list("recipient")];
  const named = BY_NAME[code];
  if (named) return named(id);
  const isProof = code === "PROOF_REQUIRED_FAILURE";
  const result = {
    type: (isProof ? "RATE_LIMIT_FAILURE" : code) as ResultType,
    ...(isProof ? { token: "4711-challenge" } : {}),
    ...(isProof || retryAfterSeconds !== undefined ? { retryAfterSeconds: retryAfterSeconds ?? 86_400 } : {}),
  };
  const person = world.person(id);
  const people = person ? [person] : (world.group(id)?.members ?? [SELF]);
  const results = people.map(
    ({ uuid, number, isUntrusted }): WireResult => ({
      ...{ recipientAddress: { uuid, number }, ...result },
      ...(isUntrusted ? { type: "IDENTITY_FAILURE" } : {}),
    }),
  );
  try {
    succeeded({ timestamp: world.newTimestamp(), results });
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`${code} is no refusal`);
}
