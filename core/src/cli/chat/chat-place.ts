import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { MODEL_CHOICE } from "../../agent/model-choice.ts";
import { HermesError } from "../../base/errors.ts";
import type { CommandContext, CommandResult } from "../../command/command.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { AT_THE_TERMINAL } from "../../model/approval.ts";
import { EVERY_SESSION, OPERATOR, type Session, type SessionId, type SessionMode } from "../../model/session.ts";
import { titleFrom } from "../../model/title.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import { JOBS } from "../../tools/shell/jobs.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { LIMITS } from "../../turn/turn-limits.ts";

/** The terminal as a place for commands. */
export interface ChatPlace extends CommandContext {
  nextMode: SessionMode;
  /** The session that the terminal is in, there or deleted; null where the next message begins one. */
  readonly current: SessionId | null;
  /**
   * The session for a message; the first message begins one and gives it its title. Throws SESSION_DELETED where the one
   * that the terminal is in was deleted elsewhere: it is not quietly replaced by an empty one.
   */
  sessionFor(message: string): Promise<Session>;
  /** SESSION_DELETED where that is so, else null. */
  deleted(): Promise<HermesError | null>;
}

export interface ChatPlaceOptions {
  readonly host: Host;
  readonly workingDirectory: string;
  /** The session to go on with. */
  readonly sessionId: SessionId | null;
  /** The mode in which a session begins; `default` by default. */
  readonly mode?: SessionMode | undefined;
  /** The model that a session begins with; none of its own by default. */
  readonly model?: string | undefined;
  /** Names the line that is worked on, where it may come again after a crash. */
  requestId?(): string | undefined;
  /** What `/handoff` does; missing where nobody can write it. */
  handOff?(place: ChatPlace, where: string, options: { readonly stays: boolean }): Promise<CommandResult>;
  /** What `/link` does. */
  link?: CommandContext["link"];
  /** Asks the person at the terminal, or does something with their screen. */
  confirm?: CommandContext["confirm"];
  choose?: CommandContext["choose"];
  /** What `/compact` does. */
  compact?: CommandContext["compact"];
  copy?: CommandContext["copy"];
  showDiff?: CommandContext["showDiff"];
  exportHere?: CommandContext["exportHere"];
}

export function createChatPlace(options: ChatPlaceOptions): ChatPlace {
  const { host, workingDirectory, handOff, confirm, choose, compact, copy, showDiff, exportHere, link } = options;
  const { store, clock, agent, redact } = host;
  let current = options.sessionId;
  /** What the session was called when it was last seen. */
  let lastTitle: string | null = null;

  const begin = async (title: string | null): Promise<Session> => {
    const session = await store.sessions.create({
      title,
      user: OPERATOR,
      origin: "terminal",
      originChat: null,
      workingDirectory,
      mode: place.nextMode,
      model: options.model ?? null,
    });
    current = session.id;
    lastTitle = session.title;
    return session;
  };
  const session = async () => {
    const found = current === null ? null : await store.sessions.get(current);
    lastTitle = found?.title ?? lastTitle;
    return found;
  };
  const deleted = async () => {
    if (current === null || (await session()) !== null) return null;
    return new HermesError("SESSION_DELETED", { title: lastTitle ?? current });
  };
  const refuseDeleted = async () => {
    const error = await deleted();
    if (error !== null) throw error;
  };

  const place: ChatPlace = {
    store,
    clock,
    surface: "terminal",
    here: host.holder.id,
    user: OPERATOR,
    isOperator: true,
    isGuest: false,
    visible: EVERY_SESSION,
    decider: AT_THE_TERMINAL,
    nextMode: options.mode ?? "default",
    typed: (command) => `/${command}`,
    session,
    async switchTo(to) {
      await refuseWhileInFlight({ store, clock }, to.id);
      current = to.id;
      lastTitle = to.title;
    },
    get current() {
      return current;
    },
    get requestId() {
      return options.requestId?.();
    },
    deleted,
    async startSession() {
      await refuseDeleted();
      return begin(null);
    },
    async leaveSession() {
      current = null;
      place.nextMode = options.mode ?? "default";
      lastTitle = null;
    },
    async sessionFor(message) {
      const found = await session();
      if (found !== null) return found;
      await refuseDeleted();
      // Redacted before it is cut: of a secret that was cut in two nobody would know either half.
      return begin(titleFrom(redact(message)));
    },
    whoami: async () => "You are the operator: the person at the terminal may do everything.",
    ...(handOff ? { handOff: (where: string, { stays = false } = {}) => handOff(place, where, { stays }) } : {}),
    modelOf: (of) => agent.modelOf(of),
    models: host.container.resolve(MODEL_CHOICE),
    ...(compact && { compact }),
    limits: host.container.resolve(LIMITS),
    windowOf: (model) => host.container.resolve(MODEL_CATALOGUE).factsOf(model).window,
    files: new KeptFiles(host.home),
    ...(confirm && { confirm }),
    ...(choose && { choose }),
    ...(copy && { copy }),
    ...(showDiff && { showDiff }),
    ...(exportHere && { exportHere }),
    ...(link ? { link } : {}),
    jobs: host.container.resolve(JOBS),
    rulesOf: (of) => host.container.resolve(TOOL_POLICY).rulesOf(of),
  };
  return place;
}
