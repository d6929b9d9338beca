import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage, Press } from "../../adapter/message.ts";
import { askToLetIn, letIn, requestOf, turnAway } from "../../command/let-in.ts";
import { closedAsk, readAskChoice } from "../../model/ask.ts";
import { CODE_LASTS_MS, type Code, newCode, shownCode } from "../../model/code.ts";
import { STORE, type Store } from "../../store/store.ts";
import { type Access, addressOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";

/** The operators are asked about so many newcomers at a time, whoever writes. */
const MOST_ASKED = 3;

/** Answers strangers in private chats, where the config has `pairing`: once a day, always with the same words. */
@scoped(Lifecycle.ContainerScoped)
export class Newcomers {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {}

  /** Keeps that somebody who is not allowed wants to be let in. Of what they wrote nothing is kept. */
  async ask({ conversation, sender, isEdit, quotes = [], ...message }: InboundMessage): Promise<void> {
    const { store, adapter } = this;
    const { platform, account, options } = this.account;
    if (!options.pairing || conversation.kind !== "dm" || sender.isBot || isEdit || quotes.length > 0) return;
    const at = addressOf({ ...message, conversation, sender }, options, null);
    const surface = adapter.buildSessionKey(at);
    const code = newCode();
    const request = await store.codes.requestPairing({
      ...{ code, ttlMs: CODE_LASTS_MS.pairing },
      who: {
        ...{ platform, account, key: keyOf(sender), id: sender.id, name: sender.name ?? null },
        ...{ conversation: at, surface },
      },
      outbox: [{ key: surface, conversation: at, message: { kind: "notice", markdown: answer(code), isSecret: true } }],
    });
    if (request === null) return;
    // Whom a link names must be known for good: their number may pass to somebody else before they are let in.
    await this.account.identities.keep(sender);
    await this.#askOperators(request);
  }

  /** In the private home channel of the account; where many want to be let in, the terminal lists them. */
  async #askOperators(request: Code): Promise<void> {
    const { store, adapter, homeWatch } = this;
    const { conversation } = homeWatch.home ?? {};
    const { who } = request;
    if (!conversation || conversation.kind !== "dm" || who === null) return;
    const { platform, account } = this.account;
    const open = (await store.codes.list("pairing")).filter(
      (one) => one.who?.platform === platform && one.who.account === account,
    );
    if (open.length > MOST_ASKED) return;
    const at = { key: adapter.buildSessionKey(conversation), conversation };
    await store.asks.open(askToLetIn({ ...request, who }, at));
  }

  /** Takes the press of a choice in. False where it is about no newcomer. */
  async press({ choiceId, conversation, sender }: Press, { isOperator }: Access): Promise<boolean> {
    const { store, adapter } = this;
    const choice = readAskChoice(choiceId);
    const ask = choice && (await store.asks.get(choice.id));
    if (!choice || ask?.kind !== "pairing") return false;
    const at = onAccount(conversation, this.account.options.account);
    const key = adapter.buildSessionKey(at);
    if (!isOperator || sender.isBot || at.kind !== "dm" || key !== ask.surface) return true;
    const number = requestOf(ask.id);
    const request = number === null ? null : await store.codes.get(number);
    const { who = null } = request ?? {};
    if (request !== null && who !== null && ask.state === "open") {
      if (choice.verb === "take") await letIn(store, { ...request, who });
      else await turnAway(store, { ...request, who });
    }
    // Over by now, whoever decided; where a message cannot be edited, the outcome is said.
    const isIn = number !== null && (await store.codes.get(number))?.state === "done";
    const result = await store.asks.decide(ask.id, isIn ? "taken" : "declined");
    if (!adapter.edit && result.state !== "unknown") {
      const { markdown } = closedAsk(result.ask);
      await store.outbox.enqueue([{ key, conversation: at, message: { kind: "notice", markdown } }]);
    }
    return true;
  }
}

function answer(code: string): string {
  return `This Hermes does not know you yet. Tell its operator this code, and they can let you in: \`${shownCode(code)}\`. It is valid for a day.`;
}
