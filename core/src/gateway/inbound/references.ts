import { inject, Lifecycle, scoped } from "tsyringe";
import { onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Quote, Reference, Sender } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { withoutHidden } from "../../base/hidden-text.ts";
import type { Logger } from "../../base/logger.ts";
import { shortName } from "../../base/one-line.ts";
import { shorten } from "../../base/shorten.ts";
import { LOGGER } from "../../base/tokens.ts";
import type { SaidMessage } from "../../model/inbox.ts";
import { ownWords } from "../../model/mark.ts";
import { STORE, type Store } from "../../store/store.ts";
import { accessOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";

/** The most that is quoted of a message that another one refers to, and of one of the bot's own, in UTF-16 units. */
const LONGEST_QUOTE = 500;
const LONGEST_OWN_QUOTE = 200;

/** Completes what messages refer to by what Hermes has kept, before they are stored: a replay gives the same text. */
@scoped(Lifecycle.ContainerScoped)
export class References {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {}

  /**
   * The message with its reference complete, or without it where there is nothing that the model does not have. `key`: the
   * conversation that it belongs to.
   */
  async resolve(received: InboundMessage, key: SessionKey): Promise<InboundMessage> {
    const message = await this.#withStrangers(received);
    const { refersTo, ...others } = message;
    if (refersTo === undefined) return message;
    const said = await this.#said(message, refersTo);
    // The model reads the last answer right above.
    if (said?.by === "bot" && said.isLatest && !refersTo.isPart && (await this.#isGoingOn(said, key))) return others;
    const completed = complete(refersTo, said);
    const { isOwn, origin, writer: from, ...rest } = completed;
    const writer = isOwn || from === undefined ? undefined : await this.account.identities.current(nameSafely(from));
    const text = shorten(withoutHidden(completed.text ?? "").trim(), isOwn ? LONGEST_OWN_QUOTE : LONGEST_QUOTE);
    if (text === "" && writer === undefined && !isOwn) return others;
    return {
      ...others,
      refersTo: {
        ...rest,
        text,
        ...(isOwn ? { isOwn } : {}),
        ...(origin === undefined ? {} : { origin: shortName(origin) }),
        ...(writer === undefined ? {} : { writer }),
        isStranger: !isOwn && !(await this.#isAllowed(message, writer)),
      },
    };
  }

  /** The message with its quotes marked that are the words of strangers. */
  async #withStrangers(message: InboundMessage): Promise<InboundMessage> {
    if (message.quotes?.some(({ writer, writerId }) => (writer ?? writerId) !== undefined) !== true) return message;
    const marked = message.quotes.map(async (quote): Promise<Quote> => {
      // A name alone is anybody's.
      if (quote.writerId === undefined) return quote.writer === undefined ? quote : { ...quote, isStranger: true };
      const writer = await this.account.identities.current({ id: quote.writerId });
      return { ...quote, isStranger: !(await this.#isAllowed(message, writer)) };
    });
    return { ...message, quotes: await Promise.all(marked) };
  }

  async #said({ conversation }: InboundMessage, { messageId }: Reference): Promise<SaidMessage | null> {
    if (messageId === undefined) return null;
    try {
      return await this.store.inbox.said(onAccount(conversation, this.account.options.account), messageId);
    } catch (error) {
      this.logger.warn({ error }, "what a message refers to could not be looked up");
      return null;
    }
  }

  /** Whether the session that said it is the one which is answered in now: there may be another since, or another's. */
  async #isGoingOn({ sessionId }: SaidMessage & { readonly by: "bot" }, key: SessionKey): Promise<boolean> {
    return sessionId !== null && (await this.store.bindings.get(key))?.sessionId === sessionId;
  }

  async #isAllowed({ conversation }: InboundMessage, writer: Sender | undefined): Promise<boolean> {
    if (writer === undefined || writer.id === "") return false;
    const homePerson = await this.homeWatch.personAt(conversation);
    const { platform, account, options } = this.account;
    const standing = await this.store.people.standing({ platform, account }, keyOf(writer));
    const rules = { options, homePerson, standing };
    return accessOf({ conversation, sender: writer }, rules) !== null;
  }
}

/** What Hermes has kept is whole and nobody's claim; the part that somebody chose is preferred, where it is certain. */
function complete(reference: Reference, said: SaidMessage | null): Reference {
  if (said === null) return reference;
  const { isClaimed: _, isOwn: __, ...certain } = reference;
  const text = reference.isClaimed ? undefined : reference.text;
  if (said.by === "bot") return { ...certain, text: text || said.text, isOwn: true };
  // What the platform quotes may be words that somebody passed on: who wrote those, only the platform can tell.
  const writer = text ? reference.writer : (said.sender ?? reference.writer);
  // Who wrote an answered message is the sender's claim still.
  const claim = said.sender === null && reference.isClaimed ? { isClaimed: true } : {};
  return { ...certain, ...claim, text: text || ownWords(said.text), ...(writer === undefined ? {} : { writer }) };
}

function nameSafely({ name, id = "", ...others }: NonNullable<Reference["writer"]>): Sender {
  const safe = shortName(name ?? "");
  return { id, ...others, ...(safe === "" ? {} : { name: safe }) };
}
