import type { Host } from "../../host/host.ts";
import type { GatewayRow } from "../../model/gateway-row.ts";
import type { Output } from "../../terminal/output.ts";

/** Says so when the gateway that runs was started on another config than this command uses, or than it is by now. */
export function noteOtherConfig(output: Output, { config }: Pick<Host, "config">, gateway: GatewayRow): void {
  const { configPath, configChanged = false, holder } = gateway;
  const other = configPath ?? "none, the defaults";
  if (configPath !== config.path) output.note(`The gateway (pid ${holder.pid}) runs on another config: ${other}.`);
  if (configChanged) {
    output.note(
      `${other} changed after the gateway (pid ${holder.pid}) was started; it uses the old config until a restart.`,
    );
  }
}
