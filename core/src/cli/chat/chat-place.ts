import { AGENT } from "../../agent/agent.ts";
import type { CommandPlace, CommandResult } from "../../command/command.ts";
import type { Host } from "../../host/host.ts";
import { refuseWhileInFlight } from "../../session/handoff-in-flight.ts";
import { EVERY_SESSION, OPERATOR, type Session, type SessionId } from "../../session/session.ts";
import { titleFrom } from "../../session/title.ts";

/** The terminal as a place for commands. */
export interface ChatPlace extends CommandPlace {
  /** The session for a message; the first message begins one and gives it its title. */
  sessionFor(message: string): Promise<Session>;
}

export interface ChatPlaceOptions {
  readonly host: Host;
  readonly workingDirectory: string;
  /** The session to go on with. */
  readonly sessionId: SessionId | null;
  /** What `/handoff` does; missing where nobody can write it. */
  handOff?(place: ChatPlace, platform: string): Promise<CommandResult>;
}

export function createChatPlace({ host, workingDirectory, sessionId, handOff }: ChatPlaceOptions): ChatPlace {
  const { store, clock, config, container, redact } = host;
  let current = sessionId;

  const begin = async (title: string | null): Promise<Session> => {
    const session = await store.sessions.create({
      title,
      user: OPERATOR,
      origin: "terminal",
      originChat: null,
      model: config.model,
      workingDirectory,
    });
    current = session.id;
    return session;
  };
  const session = async () => (current === null ? null : store.sessions.get(current));

  const place: ChatPlace = {
    store,
    clock,
    surface: "terminal",
    user: OPERATOR,
    isOperator: true,
    visible: EVERY_SESSION,
    session,
    async switchTo(to) {
      await refuseWhileInFlight({ store, clock }, to.id);
      current = to.id;
    },
    startSession: () => begin(null),
    async leaveSession() {
      current = null;
    },
    // Redacted before it is cut: of a secret that was cut in two nobody would know either half.
    sessionFor: async (message) => (await session()) ?? begin(titleFrom(redact(message))),
    whoami: async () => "You are the operator: the person at the terminal may do everything.",
    ...(handOff ? { handOff: (platform: string) => handOff(place, platform) } : {}),
    modelOf: (of) => container.resolve(AGENT).modelOf(of),
  };
  return place;
}
