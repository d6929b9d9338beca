import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Sender } from "../../adapter/message.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import { type PlatformError, reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { REDACTOR, type Redactor } from "../../base/redact.ts";
import { LOGGER } from "../../base/tokens.ts";
import { storedError } from "../../base/without-secrets.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import { type Access, accessOf, addressOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { KnownPlaces } from "../account/known-places.ts";
import { AttachedFiles, unreadAmong, withoutContent } from "./attached-files.ts";
import { BotLoopBreaker } from "./bot-loop-breaker.ts";
import { Newcomers } from "./newcomers.ts";
import { References } from "./references.ts";
import { withSafeNames } from "./safe-names.ts";

/** Timeout in milliseconds for showing that a message was read. */
const READ_MS = 30_000;

/** For whoever wrote before a backup was restored, which cannot tell what was answered since it was made. */
const BEFORE_RESTORE =
  "Hermes was restored from a backup. What was written here before that is not answered now; send again what still needs an answer.";

/** For whoever is at a place that others read since it was moved. Names no session. */
const READ_BY_OTHERS =
  "This place was moved, and others may read it now: the session that was here stays private, and your next message begins a new one.";

/** Stores what a platform tells, of those who may talk to the agent. Answers nothing. */
@scoped(Lifecycle.ContainerScoped)
export class Intake {
  readonly #bots = new BotLoopBreaker();
  /** Messages that were retracted lately, each by whom: the platform may hand one over, or resend it, only then. */
  readonly #retracted = new RecentMap<string, Sender | undefined>(1_000);
  /** Lanes in which was said that messages from before a restore are not answered. */
  readonly #toldUnanswered = new RecentMap<SessionKey, true>(1_000);

  /** Messages of which was said that a file was not read. */
  readonly #toldUnread = new RecentMap<string, true>(1_000);

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(REDACTOR) readonly redact: Redactor,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(Newcomers) readonly newcomers: Newcomers,
    @inject(References) readonly references: References,
    @inject(KnownPlaces) readonly places: KnownPlaces,
    @inject(ChatReaders) readonly readers: ChatReaders,
    @inject(AttachedFiles) readonly files: AttachedFiles,
  ) {}

  /** Stores a message, or how one that waits reads now. Null where it is refused, known, meant for others, or was deleted. */
  async accept(received: InboundMessage): Promise<{ readonly row: InboxRow; readonly access: Access } | null> {
    const message = withSafeNames(received);
    const { store, adapter, homeWatch } = this;
    const { options, identities } = this.account;
    const access = await this.accessOf(message);
    if (access === null) {
      await store.users.countRefused(adapter.platform, options.account);
      await this.newcomers.ask(message);
      return null;
    }
    await identities.keep(message.sender);
    const conversation = addressOf(message, options, homeWatch.home?.channel ?? null);
    const key = adapter.buildSessionKey(conversation);
    // Once it was kept, an edit counts though the mention was taken out with it.
    const isKept = message.isEdit && (await store.inbox.said(conversation, message.messageId)) !== null;
    if (!isKept && !(await this.#isMeantForUs(message, conversation, key))) return null;
    // The words do not wait for files: until they are kept, the former ones may be answered.
    if (message.isEdit && message.attachments?.length) {
      const { attachments, ...words } = message;
      // One that is left with files alone must not say nothing meanwhile.
      const named = words.text === "" ? { attachments: attachments.map(withoutContent) } : {};
      await store.inbox.acceptInbound(key, await this.references.resolve({ ...words, ...named, conversation }, key));
    }
    // Not before it is known that they may talk, and to whom: a stranger's files are not even downloaded.
    const taken = await this.files.taken({ ...message, conversation });
    const told = this.#toldOf(taken, key);
    const result = await store.inbox.acceptInbound(key, await this.references.resolve(taken, key), told);
    if (result.outcome === "before-restore") await this.#tellUnanswered(key, { ...message, conversation });
    const isNew = result.outcome === "accepted";
    if ((!isNew && result.outcome !== "replaced") || (await this.wasRetracted(result.row))) return null;
    if (!isNew) return { row: result.row, access };
    if (!access.isGuest) void this.places.heard({ ...message, conversation });
    void this.#markRead(message);
    return { row: result.row, access };
  }

  /** What its sender is told of a message at once: which of its files were not read, and once however it is edited. */
  #toldOf({ conversation, messageId, sender, isEdit, attachments }: InboundMessage, key: SessionKey): NewOutboxEntry[] {
    const message = sender.isBot ? null : unreadAmong(attachments);
    const id = idOf(conversation, messageId, undefined);
    if (message === null || (isEdit && this.#toldUnread.has(id))) return [];
    this.#toldUnread.set(id, true);
    return [{ key, conversation, message }];
  }

  /** Not awaited, since nothing depends on it. */
  async #markRead({ conversation, messageId }: InboundMessage): Promise<void> {
    try {
      await this.adapter.markRead?.(conversation, messageId, AbortSignal.timeout(READ_MS));
    } catch (error) {
      this.logger.debug({ messageId, reason: reasonOf(error) }, "a message could not be marked as read");
    }
  }

  /** Says once a lane, rather than once a message: a platform may tell of a whole evening. */
  async #tellUnanswered(key: SessionKey, { conversation, messageId, sender }: InboundMessage): Promise<void> {
    this.logger.warn({ messageId }, "a message is not answered: it was written before the backup was restored");
    if (sender.isBot || this.#toldUnanswered.has(key)) return;
    this.#toldUnanswered.set(key, true);
    await this.store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown: BEFORE_RESTORE } }]);
  }

  /** Takes back a message that was deleted, if its turn has not begun. Resolves once that is stored. */
  async retract(at: Conversation, messageId: string, by?: Sender): Promise<void> {
    const { options, identities } = this.account;
    const who = by && (await identities.current(by));
    this.#retracted.set(idOf(at, messageId, who), who);
    await this.store.inbox.retract(onAccount(at, options.account), messageId, who);
  }

  /**
   * Whether it was deleted before it came, while it was being stored, or when the store could not keep that; it is taken
   * back then, if its turn has not begun.
   */
  async wasRetracted({ message: { conversation, messageId, sender } }: InboxRow): Promise<boolean> {
    if (this.#retracted.size === 0) return false;
    const who = [undefined, await this.account.identities.current(sender)];
    const id = who.map((by) => idOf(conversation, messageId, by)).find((one) => this.#retracted.has(one));
    return id !== undefined && this.store.inbox.retract(conversation, messageId, this.#retracted.get(id));
  }

  /** Records the delivery status that the platform reported for a message it had accepted. */
  async settle(messageId: string, refusal: PlatformError | null, at?: Conversation, key?: string): Promise<void> {
    const { platform, account } = this.account;
    const stored = refusal && storedError(refusal, this.redact);
    const chat = at && onAccount(chatOf(at), account);
    await this.store.outbox.settleLate(platform, account, messageId, stored, chat, key);
  }

  /** The platform gave a chat or a thread another id. */
  async moved(from: Conversation, to: Conversation): Promise<void> {
    const { account } = this.account;
    const isThread = from.threadId !== undefined;
    const placeOf = (at: Conversation) =>
      onAccount({ ...chatOf(at), ...(isThread ? { threadId: at.threadId, isPrivate: at.isPrivate } : {}) }, account);
    const [former, now] = [placeOf(from), placeOf(to)];
    await this.store.bindings.moveChat(laneAt(former), laneAt(now), { kind: "notice", markdown: READ_BY_OTHERS });
    await this.homeWatch.moved(former, now);
  }

  /**
   * Looked up at the moment of use: an id may have passed to somebody else since the message came. A private chat that
   * leads to a session which its person may not be in any more is parted from it before anything looks where it leads.
   */
  async accessOf(message: Pick<InboundMessage, "conversation" | "sender" | "beginsThread">): Promise<Access | null> {
    const { homeWatch } = this;
    const { options, identities } = this.account;
    const sender = await identities.current(message.sender);
    const conversation = onAccount(message.conversation, options.account);
    const homePerson = await homeWatch.personAt(conversation);
    if (homePerson !== null && homePerson !== keyOf(sender) && !sender.isBot) void homeWatch.noticeStranger();
    const { platform, account } = this.account;
    const standing = await this.store.people.standing({ platform, account }, keyOf(sender));
    const access = accessOf({ conversation, sender }, { options, homePerson, standing });
    if (access !== null) {
      const home = homeWatch.home?.channel ?? null;
      await this.readers.check(addressOf({ ...message, conversation }, options, home), access);
    }
    return access;
  }

  /**
   * Tells whether a message addresses the bot, or need not. Checked before the message is stored, because a platform may
   * report a group message a second time, then with the mention.
   */
  async #isMeantForUs(message: InboundMessage, conversation: Conversation, key: SessionKey): Promise<boolean> {
    const { store, homeWatch } = this;
    const { options } = this.account;
    if (message.sender.isBot && !this.#bots.mayAnswer(key)) return false;
    if (!message.sender.isBot) this.#bots.heardPerson(key);
    if (conversation.kind === "dm" || message.isAddressed) return true;
    // Nobody asked to have a sticker among people commented on.
    if (message.unreadable !== undefined && saysNothing(message)) return false;
    if (!options.requireMention) return true;
    const at = homeWatch.home?.conversation;
    if (at && buildSessionKey(at) === buildSessionKey(conversation)) return true;
    return conversation.threadId !== undefined && (await store.bindings.get(key)) !== null;
  }
}

/** Whether nothing in a message can be handed over: it is unreadable, or an edit has left nothing of it. */
export function saysNothing({ text, quotes, items, attachments }: InboundMessage): boolean {
  return text.trim() === "" && ![quotes, items, attachments].some((some) => some?.length);
}

/** A retraction by the chat, the message and the person; the account is this one anyway. */
function idOf(at: Conversation, messageId: string, by: Sender | undefined): string {
  const { platform, scope, chatId } = chatOf(at);
  return JSON.stringify([platform, scope, chatId, messageId, by === undefined ? null : keyOf(by)]);
}

function laneAt(conversation: Conversation) {
  return { key: buildSessionKey(conversation), conversation };
}
