import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, onAccount } from "../../adapter/conversation.ts";
import type { Press } from "../../adapter/message.ts";
import type { Clock } from "../../base/clock.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK } from "../../base/tokens.ts";
import { mayTake, newOffer, sayTaken } from "../../command/offer.ts";
import { CONFIG, type LoadedConfig } from "../../config/config.ts";
import { type Ask, type AskVerb, closedAsk, type NewAsk, readAskChoice } from "../../model/ask.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { SessionId } from "../../model/session.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";

/** The session whose turn answers a message; `isNew`: it was begun for it. */
export interface AnsweringSession {
  readonly sessionId: SessionId;
  readonly isNew: boolean;
}

/** Offers people who write in a fresh private chat to go on there with what they did elsewhere. */
@scoped(Lifecycle.ContainerScoped)
export class Offers {
  /** Sessions in which something was said: nothing is offered in them any more. */
  readonly #used = new RecentMap<SessionId, true>(1_000);

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(CONFIG) readonly config: LoadedConfig,
  ) {}

  /** What is offered beside the answer to a message, where its session is empty. */
  async beside(row: InboxRow, access: Access, answeredBy: AnsweringSession): Promise<NewAsk | undefined> {
    const { store, clock, adapter } = this;
    const { key, message } = row;
    const { user, visible } = access;
    const { conversation } = message;
    if (!this.#mayStandBeside(row, access) || !(await this.#isEmpty(answeredBy))) return undefined;
    const session = await store.asks.offerable({ person: user, visible, surface: key });
    if (session === null) return undefined;
    const typed = (command: string) => adapter.typedCommand(command, conversation);
    return newOffer({ store, clock, typed }, { session, person: user, at: { key, conversation } });
  }

  async #isEmpty({ sessionId, isNew }: AnsweringSession): Promise<boolean> {
    if (isNew || this.#used.has(sessionId)) return isNew;
    const session = await this.store.sessions.get(sessionId);
    const isEmpty = session?.messageCount === 0;
    if (!isEmpty) this.#used.set(sessionId, true);
    return isEmpty;
  }

  /** Never in a chat that others read. */
  #mayStandBeside({ message: { conversation, sender } }: InboxRow, { isGuest }: Access): boolean {
    return this.config.continuity !== "off" && !isGuest && !sender.isBot && isPrivate(conversation);
  }

  /** Takes the press of a choice in. False where it answers no offer. */
  async press(press: Press, { user, visible }: Access): Promise<boolean> {
    const { store, adapter, account } = this;
    const choice = readAskChoice(press.choiceId);
    const ask = choice && (await store.asks.get(choice.id));
    if (!choice || ask?.kind !== "offer") return false;
    const conversation = onAccount(press.conversation, account.options.account);
    const isTheirs = ask.person === user && !press.sender.isBot && isPrivate(conversation);
    if (isTheirs && adapter.buildSessionKey(conversation) === ask.surface) {
      const verb = (await mayTake(store, ask, visible)) ? choice.verb : "decline";
      await this.#answer(ask, verb, conversation);
    }
    return true;
  }

  async #answer({ id, surface, person, sessionId }: Ask, verb: AskVerb, conversation: Conversation): Promise<void> {
    const { store, adapter } = this;
    if (surface === "terminal") return;
    const result = verb === "take" ? await store.asks.takeAlong(id) : await store.asks.decide(id, "declined");
    if (result.state === "unknown") return;
    const isOpen = result.state === "waits" || result.state === "refused";
    // Where a message can be edited, the question itself shows what came of it.
    const shown = isOpen ? sayTaken(result) : adapter.edit ? null : closedAsk(result.ask).markdown;
    if (shown === null) return;
    const tellsOf = { user: person, session: sessionId ?? undefined };
    await store.outbox.enqueue([{ key: surface, conversation, message: { kind: "notice", markdown: shown, tellsOf } }]);
  }
}

/** Whether nobody else reads a chat, and it is the chat itself. */
function isPrivate({ kind, threadId }: Conversation): boolean {
  return kind === "dm" && threadId === undefined;
}
