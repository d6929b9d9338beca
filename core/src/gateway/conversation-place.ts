import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { CommandPlace, CommandResult } from "../command/command.ts";
import { type Conversation, chatOf } from "../platform/conversation.ts";
import { buildSessionKey, type SessionKey } from "../platform/session-key.ts";
import type { Session } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import type { Access } from "./access.ts";

export interface ConversationPlaceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly agent: Agent;
  readonly requestId: string;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly access: Access;
  readonly sender: string;
  readonly mirrors: boolean;
  readonly setHome: () => Promise<string>;
  /** Missing unless the config opens the push form. */
  readonly handOff?: ((session: Session, platform: string) => Promise<CommandResult>) | undefined;
}

/** A conversation on a platform as a place for commands. */
export function conversationPlace(deps: ConversationPlaceDeps): CommandPlace {
  const { store, clock, agent, key, conversation, access, mirrors, handOff } = deps;

  const session = async () => {
    const binding = await store.bindings.get(key);
    return binding === null ? null : store.sessions.get(binding.sessionId);
  };
  const switchTo = async (to: Session) => {
    await store.bindings.bind({ key, conversation, sessionId: to.id, mirrors });
  };

  return {
    store,
    clock,
    requestId: deps.requestId,
    surface: key,
    user: access.user,
    isOperator: access.isOperator,
    visible: access.visible,
    session,
    switchTo,
    async startSession() {
      const started = await store.sessions.create({
        user: access.user,
        origin: key,
        originChat: buildSessionKey(chatOf(conversation)),
      });
      await switchTo(started);
      return started;
    },
    async whoami() {
      return [
        `You are ${access.isOperator ? "the operator" : "an allowed user"}, known here as \`${deps.sender}\`.`,
        `This conversation is \`${key}\`.`,
      ].join("\n");
    },
    setHome: deps.setHome,
    modelOf: (of) => agent.modelOf(of),
    ...(handOff && access.isOperator
      ? {
          async handOff(platform: string) {
            const current = await session();
            if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
            return handOff(current, platform);
          },
        }
      : {}),
  };
}
