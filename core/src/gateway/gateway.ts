import { HermesError } from "../base/errors.ts";
import { LOGGER } from "../base/tokens.ts";
import { commandsOfPlatforms } from "../command/registry.ts";
import type { BrokenPlugin } from "../config/config.ts";
import type { Host } from "../host/host.ts";
import { pruneHome } from "../host/prune-home.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import { PLATFORM_COMMANDS } from "../plugin/descriptor.ts";
import { manifestOrNull } from "../plugin/manifest.ts";
import { mayHaveOverview, type OperatorOverview } from "../plugin/operator-overview.ts";
import { pruneRegularly } from "../store/prune-regularly.ts";
import { ACCOUNT, type Account } from "./account/account.ts";
import { CheckedOverview } from "./account/checked-overview.ts";
import { KnownIdentities } from "./account/known-identities.ts";
import { PlatformService } from "./account/platform-service.ts";
import { ConfigWatch } from "./config-watch.ts";
import { handOffFromChat } from "./hand-off-from-chat.ts";
import { Heartbeat } from "./heartbeat.ts";

/** Serves all platforms of the config concurrently: one that fails or hangs does not block the others. */
export class Gateway implements AsyncDisposable {
  readonly #host: Host;
  readonly #services: readonly PlatformService[];
  readonly #heartbeat: Heartbeat;
  readonly #leaving = new AbortController();
  readonly #configWatch: ConfigWatch;
  #pruning: Disposable | null = null;

  /** `onStoreLost` is called when the store was replaced and the gateway has to end. */
  constructor(host: Host, onStoreLost: () => void = () => {}) {
    const { container, config, clock, logger } = host;
    this.#host = host;
    container.registerInstance(PLATFORM_COMMANDS, commandsOfPlatforms());
    this.#configWatch = new ConfigWatch(config.path, clock, logger, () => void this.#heartbeat.beat());
    this.#heartbeat = new Heartbeat(host, this.#configWatch, () => this.describe(), onStoreLost);
    this.#services = config.plugins.map((configured) => this.#serviceOf(configured));
  }

  #serviceOf(configured: ConfiguredPlugin): PlatformService {
    const { container, config, store, logger } = this.#host;
    const { options, descriptor } = configured;
    const { platform } = descriptor;
    const account: Account = {
      platform,
      account: options.account,
      options,
      identities: new KnownIdentities(store, platform, options),
      takesHandoffs: config.plugins.find((plugin) => plugin.descriptor.platform === platform) === configured,
      handOff: (request) => handOffFromChat(this.#host, request, this.#leaving.signal),
      overview: this.#overviewFor(configured),
      onChange: () => this.#heartbeat.beat(),
    };
    const own = container.createChildContainer();
    own.registerInstance(ACCOUNT, account);
    own.registerInstance(LOGGER, logger.child({ platform }));
    return new PlatformService(own, configured);
  }

  #overviewFor({ descriptor, options }: ConfiguredPlugin): OperatorOverview | null {
    const { config } = this.#host;
    if (!mayHaveOverview(manifestOrNull(descriptor.package, config.folder), config.overview)) return null;
    return new CheckedOverview(this.#host, { platform: descriptor.platform, account: options.account });
  }

  /** Resolves when each platform is up, has failed, or is served by another gateway. The heartbeat begins before. */
  async start(): Promise<void> {
    await this.#heartbeat.beat();
    await Promise.all(this.#services.map((service) => service.start()));
    await this.#heartbeat.beat();
    const { store, clock, logger } = this.#host;
    this.#pruning = pruneRegularly({ store, clock, logger, delayMs: 0, also: () => this.#pruneMore() });
  }

  /** One after the other: none is urgent, and a failure does not stop the others. */
  async #pruneMore(): Promise<void> {
    await pruneHome(this.#host);
    for (const service of this.#services) {
      await service.prune().catch((error: unknown) => {
        this.#host.logger.warn({ platform: service.describe().platform, error }, "old messages could not be removed");
      });
    }
  }

  describe(): ServedPlatform[] {
    const { plugins, brokenPlugins } = this.#host.config;
    const served = new Set(plugins.map(({ descriptor }) => descriptor.platform));
    return [
      ...this.#services.map((service) => service.describe()),
      ...brokenPlugins.filter(({ kind }) => kind !== "tools").map((plugin) => describeBroken(plugin, served)),
    ];
  }

  /** Drains: starts nothing new, waits a while for running work and leaves the rest to the next gateway. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#pruning?.[Symbol.dispose]();
    this.#configWatch[Symbol.dispose]();
    this.#leaving.abort();
    const ended = await Promise.allSettled(this.#services.map((service) => service[Symbol.asyncDispose]()));
    await this.#heartbeat[Symbol.asyncDispose]();
    for (const result of ended) {
      if (result.status === "rejected")
        this.#host.logger.error({ error: result.reason }, "a platform did not end cleanly");
    }
  }
}

/** The heartbeat's entry for a plugin that could not be loaded: commands for its platform report why. */
function describeBroken(plugin: BrokenPlugin, served: ReadonlySet<string>): ServedPlatform {
  const platform = plugin.platform ?? plugin.package;
  return {
    platform,
    account: plugin.account ?? undefined,
    health: { state: "down", detail: plugin.error.message },
    standby: false,
    takesHandoffs: !served.has(platform),
    home: null,
  };
}

/**
 * Throws when a gateway has nothing to serve: GATEWAY_NO_PLATFORMS when its config names no plugin, or why the first
 * one cannot be used when none of them can.
 */
export function requirePlatforms(host: Pick<Host, "config">): void {
  const problem = noPlatforms(host);
  if (problem !== null) throw problem;
}

/** What a gateway with nothing to serve fails with; null where there is something. */
export function noPlatforms({ config }: Pick<Host, "config">): HermesError | null {
  if (config.plugins.length > 0) return null;
  const [broken] = config.brokenPlugins;
  if (broken) return broken.error;
  return new HermesError("GATEWAY_NO_PLATFORMS", { config: config.path ?? "hermes.config.ts (there is none)" });
}
