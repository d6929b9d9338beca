import { type AdapterHealth, buildSessionKey, type Conversation, type SessionKey } from "@hermes/core";

/** What is wrong, and what to do about it: an error, or what is none. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** How the adapter is doing: whether it receives, and whether messages reach everybody and can be read. */
export class Health {
  stream: AdapterHealth = { state: "starting" };
  readonly #unsent = new Map<SessionKey, Problem>();
  readonly #unread = new Map<string, Problem>();

  /** What kept the last message to a group from some of its members; null when everybody got it. */
  noteUnsent(to: Conversation, problem: Problem | null): void {
    note(this.#unsent, buildSessionKey(to), problem);
  }

  /** Why the last message of a person could not be read; null when it could. */
  noteUnread(person: string, problem: Problem | null): void {
    note(this.#unread, person, problem);
  }

  get current(): AdapterHealth {
    if (this.stream.state !== "up") return this.stream;
    const [unread] = this.#unread.values();
    if (unread) return degraded("Not everything that people write can be read", unread);
    const [unsent] = this.#unsent.values();
    return unsent ? degraded("Not everybody in a group gets the messages", unsent) : this.stream;
  }
}

/** Of people, and of groups: with everybody allowed, strangers could make it any number. */
const MOST_PROBLEMS = 100;

function note<Key>(problems: Map<Key, Problem>, key: Key, problem: Problem | null): void {
  problems.delete(key);
  if (problem === null) return;
  problems.set(key, problem);
  const [oldest] = problems.keys();
  if (problems.size > MOST_PROBLEMS && oldest !== undefined) problems.delete(oldest);
}

function degraded(what: string, { message, hint }: Problem): AdapterHealth {
  return { state: "degraded", detail: `${what}: ${message} ${hint}` };
}
