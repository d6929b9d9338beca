import type { DependencyContainer } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { AdapterHealth } from "../../adapter/capabilities.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import type { ServedPlatform } from "../../model/gateway-row.ts";
import type { SessionId } from "../../model/session.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { type RunningPlugin, startPlugin } from "../../plugin/plugin-host.ts";
import type { HostEvents } from "../../plugin/plugin-life.ts";
import { STORE } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import { AccountLease } from "./account-lease.ts";
import { ServedAccount } from "./served-account.ts";

/** Milliseconds that running turns may take when the account is released. */
const PATIENCE_MS = 20_000;

/** Serves one platform account of the config while it holds the account's lease, and stands by otherwise. */
export class PlatformService implements AsyncDisposable {
  readonly #container: DependencyContainer;
  readonly #configured: ConfiguredPlugin;
  readonly #account: Account;
  readonly #lease: AccountLease;
  #plugin: RunningPlugin | null = null;
  /** The account while its adapter is up; messages that come before wait for it. */
  #served = Promise.withResolvers<ServedAccount>();
  #now: ServedAccount | null = null;

  /** `container`: the account's own, see {@link ACCOUNT}. */
  constructor(container: DependencyContainer, configured: ConfiguredPlugin) {
    this.#container = container;
    this.#configured = configured;
    this.#account = container.resolve(ACCOUNT);
    this.#lease = container.resolve(AccountLease);
    this.#lease.onGained = () => this.#begin();
    this.#lease.onLost = () => this.#end();
    this.#lease.onRenewed = () => void this.#now?.inbound.lookForMissed();
  }

  /** Resolves when the adapter is up, has failed for the first time, or another gateway turned out to have the account. */
  start(): Promise<void> {
    return this.#lease.start();
  }

  /** Lets the adapter remove what it keeps of sessions that are gone. */
  async prune(): Promise<void> {
    const { sessions } = this.#container.resolve(STORE);
    await this.#plugin?.adapter?.prune(async (ids) => {
      const found = await Promise.all(ids.map((id) => sessions.get(id as SessionId)));
      return ids.filter((_, at) => found[at] === null);
    });
  }

  /** What the heartbeat says of it. */
  describe(): ServedPlatform {
    const { platform, account, takesHandoffs } = this.#account;
    const { homeWatch } = this.#now ?? {};
    const { channel, conversation } = homeWatch?.home ?? { channel: null, conversation: null };
    return {
      platform,
      account,
      health: this.#health(),
      standby: this.#lease.standsBy,
      isRecovering: this.#plugin?.isRecovering || homeWatch?.isRecovering,
      takesHandoffs,
      home: conversation && { ...channel, kind: conversation.kind, key: buildSessionKey(conversation) },
      unreachable: this.#now?.unreachable.length ? this.#now.unreachable : undefined,
      notice: homeWatch?.notice ?? undefined,
    };
  }

  #health(): AdapterHealth {
    if (this.#lease.standsBy) return { state: "down", detail: "Another gateway serves it; this one stands by." };
    const health = this.#plugin?.health() ?? { state: "starting" };
    // The adapter is up, and what works on the account is not: its home channel is still asked for.
    if (this.#now === null && (health.state === "up" || health.state === "degraded")) return { state: "starting" };
    const problem = this.#now?.homeWatch.problem;
    return health.state === "up" && problem ? { state: "degraded", detail: problem } : health;
  }

  async #begin(): Promise<void> {
    const { identities, overview, onChange } = this.#account;
    const events: HostEvents = {
      receive: async (message) => (await this.#servedHere()).inbound.receive(message),
      choose: async (press) => (await this.#servedHere()).inbound.choose(press),
      retracted: async (...word) => (await this.#servedHere()).inbound.retract(...word),
      moved: async (from, to) => (await this.#servedHere()).moved(from, to),
      settle: async (...word) => (await this.#served.promise).intake.settle(...word),
      holdsAccount: () => this.#lease.isStillHeld(),
      history: {
        calls: async (...asked) => (await this.#servedHere()).history.calls(...asked),
        outcome: async (...asked) => (await this.#servedHere()).history.outcome(...asked),
        earlier: async (...asked) => (await this.#servedHere()).history.earlier(...asked),
      },
    };
    this.#plugin = startPlugin(this.#configured, this.#container, {
      events,
      identities,
      overview: overview ?? undefined,
      sessions: {
        list: async (...asked) => (await this.#servedHere()).sessions.list(...asked),
        search: async (...asked) => (await this.#servedHere()).sessions.search(...asked),
        here: async (...asked) => (await this.#servedHere()).sessions.here(...asked),
        watch: (listener) => this.#container.resolve(STORE).watch(listener),
      },
      onUp: (adapter) => this.#serve(adapter),
      onDown: () => this.#unserve(),
      onFailure: onChange,
    });
    await this.#plugin.attempted;
    void onChange();
  }

  /** Rejects where the account was lost while this process slept: what came is to be delivered to the one that has it. */
  async #servedHere(): Promise<ServedAccount> {
    const hadIt = this.#lease.isHeld;
    if (hadIt && !(await this.#lease.isStillHeld())) {
      const { platform } = this.#account;
      throw new PlatformError("PLATFORM_UNAVAILABLE", { platform, reason: "another gateway serves it now" });
    }
    return await this.#served.promise;
  }

  async #serve(adapter: PlatformAdapter): Promise<void> {
    const container = this.#container.createChildContainer();
    container.registerInstance(ADAPTER, adapter);
    this.#now = await ServedAccount.open(container);
    this.#served.resolve(this.#now);
    void this.#account.onChange();
  }

  async #unserve(): Promise<void> {
    const served = this.#now;
    if (!served) return;
    this.#now = null;
    this.#served = Promise.withResolvers();
    await served.inbound.drain(PATIENCE_MS);
    await served[Symbol.asyncDispose]();
    void this.#account.onChange();
  }

  async #end(): Promise<void> {
    try {
      // The adapter keeps running while turns finish, so that their answers are sent.
      await this.#unserve();
    } finally {
      await this.#plugin?.stop();
      this.#plugin = null;
      void this.#account.onChange();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A plugin that is not up has nothing to drain, and leaving would wait until its start has timed out.
    if (this.#plugin?.adapter === null) await this.#plugin.stop();
    await this.#lease[Symbol.asyncDispose]();
  }
}
