import {
  type AdapterHealth,
  buildSessionKey,
  type Conversation,
  type PlatformError,
  type SessionKey,
} from "@hermes/core";

/** How the adapter is doing: whether it receives, and whether what it sends reaches everybody. */
export class Health {
  stream: AdapterHealth = { state: "starting" };
  readonly #problems = new Map<SessionKey, PlatformError>();

  /** What kept the last message to a group from some of its members; null when everybody got it. */
  note(to: Conversation, problem: PlatformError | null): void {
    const key = buildSessionKey(to);
    if (problem === null) this.#problems.delete(key);
    else this.#problems.set(key, problem);
  }

  get current(): AdapterHealth {
    const [problem] = this.#problems.values();
    if (this.stream.state !== "up" || problem === undefined) return this.stream;
    return {
      state: "degraded",
      detail: `Not everybody in a group gets the messages: ${problem.message} ${problem.hint}`,
    };
  }
}
