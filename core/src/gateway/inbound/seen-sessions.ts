import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf, onAccount } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import { type Session, type SessionId, seesCalls } from "../../model/session.ts";
import { speakerOf } from "../../model/transcript.ts";
import { excerptParts } from "../../overview/excerpt.ts";
import type { Visitor } from "../../plugin/operator-overview.ts";
import type {
  FoundInSession,
  ListedSession,
  SessionHere,
  SessionPageFor,
  SessionQuery,
  VisibleSessions,
} from "../../plugin/visible-sessions.ts";
import { lookUpPlace, nameOfPlace } from "../../store/look-up-place.ts";
import { STORE, type Store } from "../../store/store.ts";
import { type Access, addressOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { ConversationPlaces } from "./conversation-places.ts";
import { Intake } from "./intake.ts";
import { sessionHere } from "./session-here.ts";

/** The sessions that people of an account may see, by the rules of the commands that tell them the same. */
@scoped(Lifecycle.ContainerScoped)
export class SeenSessions implements Omit<VisibleSessions, "watch"> {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(Intake) readonly intake: Intake,
    @inject(ConversationPlaces) readonly places: ConversationPlaces,
  ) {}

  async list(visitor: Visitor, { limit, after, matching }: SessionQuery): Promise<SessionPageFor> {
    const access = await this.#accessOf(visitor);
    const { sessions, cursor } = await this.store.sessions.list({
      ...{ visible: access.visible, limit },
      ...(after !== undefined && { cursor: after }),
      ...(matching !== undefined && { matching }),
    });
    return { sessions: await Promise.all(sessions.map((one) => this.#listed(one, visitor, access))), cursor };
  }

  async search(
    visitor: Visitor,
    { words, limit }: { readonly words: string; readonly limit: number },
  ): Promise<FoundInSession[]> {
    const { store } = this;
    const access = await this.#accessOf(visitor);
    const { visible } = access;
    const hits = await store.transcripts.search({ text: words, visible, onlySaid: !seesCalls(visible), limit });
    const listed = new Map<SessionId, ListedSession>();
    for (const { sessionId } of hits) {
      const session = listed.has(sessionId) ? null : await store.sessions.get(sessionId);
      if (session !== null) listed.set(sessionId, await this.#listed(session, visitor, access));
    }
    return hits.flatMap(({ sessionId, seq, role, snippet, createdAt: at }) => {
      const session = listed.get(sessionId);
      const excerpt = excerptParts(snippet, words);
      return session === undefined ? [] : [{ session, seq, by: speakerOf({ role }), at, excerpt }];
    });
  }

  async here(visitor: Visitor): Promise<SessionHere> {
    const access = await this.#accessOf(visitor);
    const { options } = this.account;
    const conversation = addressOf(visitor, options, this.homeWatch.home?.channel ?? null);
    const key = this.adapter.buildSessionKey(conversation);
    const place = this.places.of({ key, message: { ...visitor, conversation } }, access);
    const session = await place.session();
    const elsewhere = session === null ? [] : await this.#elsewhere(session.id, access, (at) => at !== key);
    return sessionHere(place, session, elsewhere);
  }

  /** Throws NOT_ALLOWED where nobody there may use commands that list sessions. */
  async #accessOf(visitor: Visitor): Promise<Access> {
    const access = visitor.conversation.platform === this.account.platform && (await this.intake.accessOf(visitor));
    if (!access || access.isGuest) throw new HermesError("NOT_ALLOWED", {});
    return access;
  }

  async #listed(session: Session, { conversation }: Visitor, access: Access): Promise<ListedSession> {
    const { store } = this;
    const { id, title, messageCount, updatedAt } = session;
    const chat = buildSessionKey(chatOf(onAccount(conversation, this.account.options.account)));
    const isHere = (at: Conversation) => buildSessionKey(chatOf(at)) === chat;
    const [lastPlace, open, turn, bindings] = await Promise.all([
      lookUpPlace(store, session.lastSurface),
      store.approvals.open(id),
      store.turns.running(id),
      store.bindings.of(id),
    ]);
    const here = bindings.filter((binding) => isHere(binding.conversation)).sort((a, b) => b.usedAt - a.usedAt);
    const keys = new Set(here.map(({ key }) => key));
    return {
      id,
      title,
      messageCount,
      updatedAt,
      lastPlace,
      openQuestions: open.length,
      isRunning: turn !== null,
      here: here.map((binding) => binding.conversation),
      elsewhere: await this.#elsewhere(id, access, (key) => !keys.has(key as never)),
    };
  }

  /** The terminals that have a session open, and the conversations that lead to it: only operators learn of them. */
  async #elsewhere(id: SessionId, access: Access, isOther: (key: string) => boolean): Promise<string[]> {
    if (access.visible.kind !== "all") return [];
    const { store } = this;
    const [views, bindings] = await Promise.all([store.views.of(id), store.bindings.of(id)]);
    const terminals = views.filter(({ surface }) => surface === "terminal");
    const others = bindings.filter(({ key }) => isOther(key));
    return [
      ...new Set([
        ...terminals.map(({ holder }) => `in a terminal (pid ${holder.pid})`),
        ...(await Promise.all(others.map((binding) => nameOfPlace(store, binding)))),
      ]),
    ];
  }
}
