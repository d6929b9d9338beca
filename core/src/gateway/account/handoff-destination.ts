import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation, HomeChannel } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Destination } from "../../handoff/destination.ts";
import { Inbound } from "../inbound/inbound.ts";
import { type TurnPresentation, TurnPresenter } from "../outbound/turn-presenter.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import { HomeWatch } from "./home-watch.ts";

/** The platform account as the destination of handoffs. */
@scoped(Lifecycle.ContainerScoped)
export class HandoffDestination implements Destination {
  constructor(
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly served: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(Inbound) readonly inbound: Inbound,
    @inject(TurnPresenter) readonly presenter: TurnPresenter,
  ) {}

  get account(): string | undefined {
    return this.served.account;
  }

  get home(): HomeChannel | null {
    return this.homeWatch.home?.channel ?? null;
  }

  checkHome(): Promise<void> {
    return this.homeWatch.check();
  }

  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.inbound.atHead(key, work);
  }

  present(at: { readonly key: SessionKey; readonly conversation: Conversation }): TurnPresentation {
    return this.presenter.present(at);
  }
}
