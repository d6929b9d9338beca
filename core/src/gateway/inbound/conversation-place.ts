import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { CommandPlace, CommandResult } from "../../command/command.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { Session } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";

/** `/handoff` on a platform: moves the session that the conversation `from` leads to. */
export type HandOffFrom = (session: Session, from: SessionKey, platform: string) => Promise<CommandResult>;

export interface ConversationPlaceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly agent: Agent;
  readonly adapter: PlatformAdapter;
  /** `sender`: who asked for it. */
  readonly setHome: (at: Conversation, name: string | undefined, sender: Sender) => Promise<string>;
  /** Null unless the config opens the push form. */
  readonly handOff: HandOffFrom | null;
}

/** The conversation that a message came from, as a place for commands of its sender. */
export function conversationPlace(
  { store, clock, agent, adapter, setHome, handOff }: ConversationPlaceDeps,
  { id, key, message }: InboxRow,
  access: Access,
): CommandPlace {
  const { conversation, sender, chatName } = message;
  const { user, isOperator, visible } = access;
  const { mirrors } = adapter.capabilities;

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
    requestId: id,
    surface: key,
    user,
    isOperator,
    visible,
    session,
    switchTo,
    async startSession() {
      const originChat = buildSessionKey(chatOf(conversation));
      const started = await store.sessions.create({ user, origin: key, originChat });
      await switchTo(started);
      return started;
    },
    async whoami() {
      return [
        `You are ${isOperator ? "the operator" : "an allowed user"}, known here as \`${sender.id}\`.`,
        `This conversation is \`${key}\`.`,
      ].join("\n");
    },
    setHome: ({ wholeChat }) => setHome(wholeChat ? chatOf(conversation) : homeAt(message), chatName, sender),
    modelOf: (of) => agent.modelOf(of),
    ...(handOff && isOperator
      ? {
          async handOff(platform: string) {
            const current = await session();
            if (current === null) throw new HermesError("SESSION_UNKNOWN", { reference: "here" });
            return handOff(current, key, platform);
          },
        }
      : {}),
  };
}

/** Where /sethome was written: the thread itself, unless the message only began one to be answered in. */
function homeAt({ conversation, beginsThread }: InboundMessage): Conversation {
  const { threadId } = conversation;
  return threadId === undefined || threadId === beginsThread
    ? chatOf(conversation)
    : { ...chatOf(conversation), threadId };
}

/** Lets a thread that hangs on a message of the chat go on with the chat's session, unless it has had one of its own. */
export async function branchOff(deps: ConversationPlaceDeps, row: InboxRow, access: Access): Promise<void> {
  const { store, adapter } = deps;
  const { conversation, isBranch } = row.message;
  if (!isBranch || (await store.bindings.get(row.key)) || (await store.handoffs.latestBoundAt(row.key))) return;
  const stem = await store.bindings.get(adapter.buildSessionKey(chatOf(conversation)));
  const session = stem && (await store.sessions.get(stem.sessionId));
  if (session) await conversationPlace(deps, row, access).switchTo(session);
}
