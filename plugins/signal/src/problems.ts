import { type AdapterHealth, buildSessionKey, type Conversation, RecentMap, type SessionKey } from "@hermes/core";

/** What is wrong, and what to do about it: an error, or what is none. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

/** The most people, and the most groups, whose problems are remembered: strangers could cause any number. */
const MOST_PROBLEMS = 100;

/** What keeps messages from reaching everybody, or from being read, although the adapter receives. */
export class Problems {
  readonly #unsent = new RecentMap<SessionKey, Problem>(MOST_PROBLEMS);
  readonly #unread = new RecentMap<string, Problem>(MOST_PROBLEMS);

  /** What kept the last message to a group from some of its members; null when everybody got it. */
  noteUnsent(to: Conversation, problem: Problem | null): void {
    note(this.#unsent, buildSessionKey(to), problem);
  }

  /** Why the last message of a person could not be read; null when it could. */
  noteUnread(person: string, problem: Problem | null): void {
    note(this.#unread, person, problem);
  }

  /** The health of an adapter that is doing as `connection` says, apart from these problems. */
  over(connection: AdapterHealth): AdapterHealth {
    if (connection.state !== "up") return connection;
    const [unread] = this.#unread.values();
    if (unread) return degraded("Not everything that people write can be read", unread);
    const [unsent] = this.#unsent.values();
    return unsent ? degraded("Not everybody in a group gets the messages", unsent) : connection;
  }
}

function note<Key>(problems: Map<Key, Problem>, key: Key, problem: Problem | null): void {
  if (problem === null) problems.delete(key);
  else problems.set(key, problem);
}

function degraded(what: string, { message, hint }: Problem): AdapterHealth {
  return { state: "degraded", detail: `${what}: ${message} ${hint}` };
}
