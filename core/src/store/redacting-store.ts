import { mapped } from "../base/mapped.ts";
import type { RowRedaction } from "../base/row-redaction.ts";
import type { Store } from "./store.ts";

/**
 * Wraps a store so that everything written to it is redacted first. Fields that hold ids keep them (see
 * {@link RowRedaction.id}); every other text is redacted, so that this covers fields that are added later. What a call
 * named in `restored`, such as `transcripts.read`, returns stays as it is: the store has restored the ids itself.
 */
export function redactingStore(
  store: Store,
  redaction: RowRedaction,
  restored: ReadonlySet<string> = new Set(),
): Store {
  const parts = new Map<string | symbol, object>();
  const way = passage(redaction);
  return new Proxy(store, {
    get(_, name) {
      const known = parts.get(name);
      if (known !== undefined) return known;
      const part: unknown = Reflect.get(store, name, store);
      if (typeof part === "function") return part.bind(store);
      if (typeof part !== "object" || part === null) return part;
      const made = redactingPart(part, String(name), way, restored);
      parts.set(name, made);
      return made;
    },
  });
}

/** Positional arguments that are texts rather than ids, by call. */
const TEXT_ARGUMENTS: Readonly<Record<string, number>> = {
  "sessions.find": 0,
  "sessions.setTitle": 1,
  "users.note": 1,
  "people.find": 0,
  "people.rename": 1,
  "people.link": 3,
  "turns.noteText": 2,
  "turns.noteOutput": 3,
};

/** Fields that identify rows or places, and fields with Hermes' own words. */
const ID_FIELDS = new Set([
  ...[
    "id",
    "sessionId",
    "turnId",
    "handoffId",
    "inboxId",
    "line",
    "lines",
    "keepAs",
    "messageId",
    "callId",
    "askId",
    "fresh",
    "sendKey",
    "draftMessageId",
    "edits",
    "toolCallId",
    "mark",
    "cursor",
    "subject",
    "day",
  ],
  ...[
    "platform",
    "account",
    "scope",
    "chatId",
    "threadId",
    "userId",
    "writerId",
    "user",
    "aliases",
    "grants",
    "beginsThread",
  ],
  ...[
    "key",
    "keys",
    "chat",
    "surface",
    "origin",
    "originChat",
    "from",
    "leaves",
    "by",
    "workingDirectory",
    "configPath",
    "model",
  ],
  ...["home", "person", "present", "told", "operators", "members", "allowedUsers", "allowedBots"],
  ...[
    "host",
    "pidStart",
    "role",
    "kind",
    "state",
    "code",
    "step",
    "unit",
    "author",
    "mode",
    "digest",
    "issuer",
    "hash",
  ],
]);

/** Fields in which adapters store objects of their own: the names inside them are redacted, too. */
const FREE_FIELDS = new Set(["extra"]);

/** Fields that are used as they are stored: what only looks like a secret stays, and is redacted where it is shown. */
const EXACT_FIELDS = new Set(["input", "providerParts"]);

function redactingPart(
  part: object,
  partName: string,
  { write, read }: Passage,
  restored: ReadonlySet<string>,
): object {
  const calls = new Map<string | symbol, unknown>();
  return new Proxy(part, {
    get(_, name) {
      const known = calls.get(name);
      if (known !== undefined) return known;
      const call: unknown = Reflect.get(part, name, part);
      if (typeof call !== "function") return call;
      const fullName = `${partName}.${String(name)}`;
      const textAt = TEXT_ARGUMENTS[fullName];
      const isRestored = restored.has(fullName);
      const made = (...args: unknown[]) => {
        const safe = args.map((value, at) => write(value, at !== textAt));
        const result: unknown = Reflect.apply(call, part, safe);
        return result instanceof Promise && !isRestored ? result.then(read) : result;
      };
      calls.set(name, made);
      return made;
    },
  });
}

/** Restores the ids in a row that was read from a redacted store; returns the same object when nothing changes. */
export function restoredBy(redaction: RowRedaction): <Row>(row: Row) => Row {
  const { read } = passage(redaction);
  return <Row>(row: Row) => read(row) as Row;
}

/** Converts values on their way into the store and out of it; returns the same object when nothing changes. */
interface Passage {
  write(value: unknown, isId: boolean): unknown;
  read(value: unknown): unknown;
}

/** Makes the passage of a redaction. Its closures are made once, since they run for every field of every row. */
function passage(redaction: RowRedaction): Passage {
  const inText = (value: unknown, name: string | null): unknown => (isKept(name) ? keep(value) : field(value, name));
  const inId = (value: unknown, name: string | null): unknown => (name === null ? keep(value) : inText(value, name));
  const inFree = (value: unknown): unknown =>
    typeof value === "string" ? redaction.text(value) : mapped(value, inFree, redaction.text);
  const inExact = (value: unknown): unknown =>
    typeof value === "string" ? redaction.known(value) : mapped(value, inExact, redaction.known);

  const keep = (value: unknown): unknown => (typeof value === "string" ? redaction.id(value) : mapped(value, inId));
  const field = (value: unknown, name: string | null): unknown => {
    if (typeof value === "string") return isExact(name) ? redaction.known(value) : redaction.text(value);
    if (name !== null && FREE_FIELDS.has(name)) return inFree(value);
    return isExact(name) ? inExact(value) : mapped(value, inText);
  };
  const read = (value: unknown): unknown =>
    typeof value === "string" ? redaction.original(value) : mapped(value, read);
  return { write: (value, isId) => (isId ? keep(value) : field(value, null)), read };
}

/** Whether strings below the name are ids. */
function isKept(name: string | null): boolean {
  return name !== null && ID_FIELDS.has(name);
}

function isExact(name: string | null): boolean {
  return name !== null && EXACT_FIELDS.has(name);
}
