import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { CODE_LASTS_MS, newCode, shownCode } from "../../model/code.ts";
import { STORE, type Store } from "../../store/store.ts";
import { addressOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";

/** Answers strangers in private chats, where the config has `pairing`: once a day, always with the same words. */
@scoped(Lifecycle.ContainerScoped)
export class Newcomers {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
  ) {}

  /** Keeps that somebody who is not allowed wants to be let in. Of what they wrote nothing is kept. */
  async ask({ conversation, sender, isEdit, quotes = [], ...message }: InboundMessage): Promise<void> {
    const { store, adapter } = this;
    const { platform, account, options } = this.account;
    if (!options.pairing || conversation.kind !== "dm" || sender.isBot || isEdit || quotes.length > 0) return;
    const at = addressOf({ ...message, conversation, sender }, options, null);
    const surface = adapter.buildSessionKey(at);
    const code = newCode();
    await store.codes.requestPairing({
      ...{ code, ttlMs: CODE_LASTS_MS.pairing },
      who: {
        ...{ platform, account, key: keyOf(sender), id: sender.id, name: sender.name ?? null },
        ...{ conversation: at, surface },
      },
      outbox: [{ key: surface, conversation: at, message: { kind: "notice", markdown: answer(code), isSecret: true } }],
    });
  }
}

function answer(code: string): string {
  return `This Hermes does not know you yet. Tell its operator this code, and they can let you in: \`${shownCode(code)}\`. It is valid for a day.`;
}
