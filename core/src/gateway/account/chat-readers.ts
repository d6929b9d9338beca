import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { OutboundMessage, ToldSessions } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { type HermesError, PlatformError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import type { PlatformAuthor } from "../../model/turn.ts";
import { authorAt } from "../../store/author-at.ts";
import { currentRights, userOf } from "../../store/current-rights.ts";
import { mayBeIn } from "../../store/may-be-in.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "./access.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import { HomeWatch } from "./home-watch.ts";
import { PrivateChats } from "./private-chats.ts";

/** A place of the account, and a session that is said or shown there. */
export interface ReadAt {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly sessionId: SessionId | null;
  /** What is said there, as far as it tells of sessions that it is not said in. */
  readonly message?: Pick<OutboundMessage, "tellsOf">;
  /** Whether it is sent by hand, to whoever reads there. */
  readonly isByHand?: boolean;
}

/** Whether what is said of a session may be shown at a place; `may` is null while that is not known. */
export interface Reading {
  readonly may: boolean | null;
  /** Why not, where only the company is wrong: what is said is kept until others have left. */
  readonly others?: HermesError;
}

const PARTED = "You no longer have access to this chat's session; your next message starts a new one.";

/** Sees to it, at each use, that the private chats of an account lead to no session that their people may not be in. */
@scoped(Lifecycle.ContainerScoped)
export class ChatReaders {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(PrivateChats) readonly privateChats: PrivateChats,
  ) {}

  /**
   * Parts a private chat from the session that it leads to, where whoever writes there may not be in that any more, and
   * says so once.
   */
  async check(conversation: Conversation, access: Access): Promise<void> {
    if (conversation.kind !== "dm" || access.isOperator) return;
    const chat = chatOf(conversation);
    for (const place of conversation.threadId === undefined ? [chat] : [chat, conversation]) {
      const key = this.adapter.buildSessionKey(place);
      const binding = await this.store.bindings.get(key);
      if (binding === null || (await this.#mayBeIn(binding.sessionId, key, access))) continue;
      const at = { key, conversation: binding.conversation };
      await this.store.bindings.part(key, binding.sessionId, [
        { ...at, message: { kind: "notice", markdown: PARTED } },
      ]);
    }
  }

  /** Whether somebody may be in a session at a place; in a shared chat that is decided by what began there. */
  async mayBeIn(sessionId: SessionId, conversation: Conversation, access: Access): Promise<boolean> {
    if (conversation.kind !== "dm") return true;
    return this.#mayBeIn(sessionId, this.adapter.buildSessionKey(conversation), access);
  }

  /**
   * Whether what is said of a session may be shown at a place: where that is a private chat, to whoever wrote there, and
   * while nobody else is there. The home channel is its operator's, whoever wrote there.
   */
  async reading({ key, conversation, sessionId, message, isByHand = false }: ReadAt): Promise<Reading> {
    const { tellsOf } = message ?? {};
    if ((sessionId === null && tellsOf === undefined) || conversation.kind !== "dm") return { may: true };
    const author = await authorAt(this.store, { key, conversation });
    try {
      const others = await this.privateChats.withheldBecause(conversation, author);
      if (others !== null) return { may: false, others };
    } catch (error) {
      if (error instanceof PlatformError && error.retryable) return { may: null };
      throw error;
    }
    // Nobody has written there since Hermes notes who does.
    if (author === null || isByHand) return { may: true };
    const may = await this.mayReadAs(author, { key, conversation, sessionId });
    return { may: may && tellsOf ? await this.#mayBeTold(author, { key, conversation }, tellsOf) : may };
  }

  async #mayBeTold(
    author: PlatformAuthor,
    at: Pick<ReadAt, "key" | "conversation">,
    { user, session }: ToldSessions,
  ): Promise<boolean | null> {
    // An id of Hermes' own, as it stood in the row.
    const may = await this.mayReadAs(author, { ...at, sessionId: (session ?? null) as SessionId | null });
    if (!may || user === undefined || this.homeWatch.isPrivateHome(at.conversation)) return may;
    return (await userOf(this.store, author)) === user || this.#isOperator(author);
  }

  /** What {@link reading} says of it. */
  async mayRead(at: ReadAt): Promise<boolean | null> {
    return (await this.reading(at)).may;
  }

  /** Whether somebody may read a session, where they are who reads there. */
  async mayReadAs(author: PlatformAuthor, { key, conversation, sessionId }: ReadAt): Promise<boolean | null> {
    if (sessionId === null || this.homeWatch.isPrivateHome(conversation)) return true;
    const { store } = this;
    const reader = { at: key, identity: author.person ?? author.senderId, user: await userOf(store, author) };
    // Mostly it is their own: then their rights need not be asked for.
    if (await mayBeIn(store, sessionId, { ...reader, isOperator: false })) return true;
    return this.#isOperator(author);
  }

  /** Null while nobody publishes what is granted on the account: that is no reason to drop what is said to them. */
  async #isOperator(author: PlatformAuthor): Promise<boolean | null> {
    const { platform, account } = this.account;
    if ((await this.store.grants.current({ platform, account })) === null) return null;
    return (await currentRights(this.store, author)).mayDo("operators-command").ok;
  }

  #mayBeIn(sessionId: SessionId, at: SessionKey, access: Access): Promise<boolean> {
    return mayBeIn(this.store, sessionId, { at, ...access });
  }
}
