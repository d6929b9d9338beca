import { onAccount } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { shortName } from "../../base/one-line.ts";
import type { IdentityScope } from "../../model/identity.ts";
import { authorOf, type PlatformAuthor } from "../../model/turn.ts";
import { actOnOverview } from "../../overview/act-on-overview.ts";
import { type OverviewParts, readOverview } from "../../overview/read-overview.ts";
import type {
  OperatorOverview,
  OverviewAction,
  OverviewDocument,
  OverviewQuery,
  Visitor,
} from "../../plugin/operator-overview.ts";
import { currentRights } from "../../store/current-rights.ts";

interface Parts extends OverviewParts {
  readonly logger: Logger;
}

/** The overview for the operator of one platform account: rights are looked up in the store for each call. */
export class CheckedOverview implements OperatorOverview {
  readonly #parts: Parts;
  readonly #scope: IdentityScope;

  constructor(parts: Parts, scope: IdentityScope) {
    this.#parts = parts;
    this.#scope = scope;
  }

  async isFor(visitor: Visitor): Promise<boolean> {
    const { platform } = this.#scope;
    const { conversation, sender } = visitor;
    // In a shared chat an operator, too, sees only what began there.
    if (conversation.platform !== platform || conversation.kind !== "dm" || sender.isBot) return false;
    const rights = await currentRights(this.#parts.store, this.#authorOf(visitor));
    return rights.mayDo("operators-command").ok;
  }

  async read(visitor: Visitor, query: OverviewQuery): Promise<OverviewDocument> {
    await this.#require(visitor);
    return readOverview(this.#parts, query);
  }

  async act(visitor: Visitor, action: OverviewAction): Promise<OverviewDocument> {
    await this.#require(visitor);
    const { sender } = visitor;
    const author = this.#authorOf(visitor);
    const decider = { name: shortName(sender.name ?? "") || "an operator", author };
    const done = await actOnOverview(this.#parts, { decider, surface: buildSessionKey(author.conversation) }, action);
    this.#parts.logger.info({ action: action.do, by: sender.id }, "the operator acted on the overview");
    return done;
  }

  watch(listener: () => void): Disposable {
    return this.#parts.store.watch(listener);
  }

  async #require(visitor: Visitor): Promise<void> {
    if (!(await this.isFor(visitor))) throw new HermesError("OVERVIEW_REFUSED", { platform: this.#scope.platform });
  }

  /** On the plugin's own account, whatever the conversation says. */
  #authorOf({ conversation, sender }: Visitor): PlatformAuthor {
    return authorOf({ conversation: onAccount(conversation, this.#scope.account), sender });
  }
}
