import type { DependencyContainer } from "tsyringe";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { ConfiguredPlugin } from "../config/config.ts";
import type { AdapterHealth } from "../platform/capabilities.ts";
import { type RunningPlugin, startPlugin } from "../plugin/plugin-host.ts";
import type { ServedPlatform } from "../session/gateway-row.ts";
import { AccountLease } from "./account-lease.ts";
import { ServedAccount, type ServedAccountDeps } from "./served-account.ts";

export interface PlatformServiceDeps extends Omit<ServedAccountDeps, "adapter" | "options"> {
  readonly container: DependencyContainer;
  readonly configured: ConfiguredPlugin;
  /** Something changed that the heartbeat tells. */
  readonly onChange: () => void;
}

/** How long turns that run may go on when the account is given up, in milliseconds. */
const PATIENCE_MS = 20_000;
