import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperatorOverview } from "@hermes/core";
import { type Holder, type NewGrants, openStore, type Store } from "@hermes/core/embed";
import { CheckedOverview } from "@hermes/core/internal";
import { notingLogger } from "./noting-logger.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** The overview that a gateway gives a plugin, on a real store of its own, for tests without a gateway. */
export interface TestOverview extends AsyncDisposable {
  readonly overview: OperatorOverview;
  readonly store: Store;
  /** The gateway that serves the plugin's account. */
  readonly gateway: Holder;
  /** Changes who may do what on the account: until then, nobody may do anything. */
  grant(grants: Partial<Omit<NewGrants, "platform" | "account">>): Promise<void>;
}

/** Opens the overview of a platform account. */
export async function openOverview(
  platform: string,
  { clock, account }: { readonly clock: VirtualClock; readonly account?: string },
): Promise<TestOverview> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-overview-"));
  const probe = { fate: () => "alive" as const };
  const store = await openStore(folder, { clock, probe });
  const scope = { platform, account };
  const gateway: Holder = { id: "gateway", host: "here", pid: process.pid, pidStart: "1", role: "gateway" };
  const parts = { store, clock, probe, logger: notingLogger([]), config: { path: null, plugins: [] } };
  return {
    overview: new CheckedOverview(parts, scope),
    store,
    gateway,
    async grant(grants) {
      await store.leases.acquire(`account:${platform}:${account ?? ""}`, gateway, 60 * 60_000);
      const none = { operators: [], allowedUsers: [], allowedBots: [], home: null };
      await store.grants.publish({ ...scope, ...none, ...grants }, gateway);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
