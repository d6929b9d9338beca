import { inject, Lifecycle, scoped } from "tsyringe";
import { HermesError } from "../../base/errors.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { OPERATOR, type Session, type SessionId, type SessionMode } from "../../model/session.ts";
import { titleFrom } from "../../model/title.ts";
import { CHAT, type ChatOptions, FOLDER, HOST } from "./tokens.ts";

/** The session that the terminal is in. */
@scoped(Lifecycle.ContainerScoped)
export class ChatSession {
  /** The mode in which the next message begins one. */
  nextMode: SessionMode;
  #current: SessionId | null;
  /** What it was called when it was last seen. */
  #lastTitle: string | null = null;

  constructor(
    @inject(HOST) readonly host: Host,
    @inject(CHAT) readonly options: ChatOptions,
    @inject(FOLDER) readonly folder: string,
  ) {
    this.#current = options.sessionId;
    this.nextMode = options.mode ?? "default";
  }

  /** There or deleted; null where the next message begins one. */
  get current(): SessionId | null {
    return this.#current;
  }

  /** Null also where it was deleted. */
  async find(): Promise<Session | null> {
    const found = this.#current === null ? null : await this.host.store.sessions.get(this.#current);
    this.#lastTitle = found?.title ?? this.#lastTitle;
    return found;
  }

  /** SESSION_DELETED where that is so, else null. */
  async deleted(): Promise<HermesError | null> {
    if (this.#current === null || (await this.find()) !== null) return null;
    return new HermesError("SESSION_DELETED", { title: this.#lastTitle ?? this.#current });
  }

  /** Throws HANDOFF_IN_FLIGHT. */
  async switchTo({ id, title }: Session): Promise<void> {
    await refuseWhileInFlight(this.host, id);
    this.#current = id;
    this.#lastTitle = title;
  }

  /** The next message begins another one. */
  leave(): void {
    this.#current = null;
    this.nextMode = this.options.mode ?? "default";
    this.#lastTitle = null;
  }

  /**
   * The session for a message; the first message begins one and gives it its title. Throws SESSION_DELETED where the one
   * that the terminal is in was deleted elsewhere: it is not quietly replaced by an empty one.
   */
  async forMessage(message: string): Promise<Session> {
    // Redacted before it is cut: of a secret that was cut in two nobody would know either half.
    return (await this.find()) ?? this.begin(titleFrom(this.host.redact(message)));
  }

  /** Begins one in place of the current one. Throws SESSION_DELETED as well. */
  async begin(title: string | null = null): Promise<Session> {
    const deleted = await this.deleted();
    if (deleted !== null) throw deleted;
    const session = await this.host.store.sessions.create({
      title,
      user: OPERATOR,
      origin: "terminal",
      originChat: null,
      workingDirectory: this.folder,
      mode: this.nextMode,
      model: this.options.model ?? null,
    });
    this.#current = session.id;
    this.#lastTitle = session.title;
    return session;
  }
}
