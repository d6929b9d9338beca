import { existsSync } from "node:fs";
import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow } from "../../model/gateway-row.ts";
import type { Io } from "../../terminal/io.ts";
import { untilGatewayRuns } from "../gateway/launch.ts";
import { type ServiceManager, serviceManager } from "./service-manager.ts";

/** The service that one of `gateways` runs under, and which; null where none does. */
export async function runningService(
  io: Io,
  gateways: readonly GatewayRow[],
): Promise<{ readonly manager: ServiceManager; readonly gateway: GatewayRow } | null> {
  try {
    const manager = await serviceManager(io);
    if (!existsSync(manager.file)) return null;
    const { pid } = await manager.state();
    const gateway = gateways.find(({ holder }) => holder.pid === pid);
    return gateway ? { manager, gateway } : null;
  } catch (error) {
    if (error instanceof HermesError && error.code === "SERVICE_UNAVAILABLE") return null;
    throw error;
  }
}

/** Starts the gateway of a service again, and waits until its platforms are up, or down for good. */
export async function restartService(
  manager: ServiceManager,
  host: Pick<Host, "store" | "clock" | "home">,
): Promise<GatewayRow> {
  await manager.restart();
  const { pid } = await manager.state();
  return untilGatewayRuns(host, () => pid, { waitsForAll: true });
}
