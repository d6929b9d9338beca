import type { Host } from "../../host/host.ts";
import type { GatewayRow } from "../../session/gateway-row.ts";
import type { Output } from "../output.ts";

/** Says so when the gateway that runs was started on another config than this command uses. */
export function noteOtherConfig(output: Output, { config }: Pick<Host, "config">, gateway: GatewayRow): void {
  if (gateway.configPath === config.path) return;
  const other = gateway.configPath ?? "none, the defaults";
  output.note(`The gateway (pid ${gateway.holder.pid}) runs on another config: ${other}.`);
}
