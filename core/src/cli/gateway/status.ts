import { ageText } from "../../base/text.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow } from "../../session/gateway-row.ts";
import type { CliContext } from "../context.ts";
import { handoffDocument } from "../handoff/document.ts";
import type { Output } from "../output.ts";
import { noteOtherConfig } from "./other-config.ts";

/** `hermes status`: from the gateways' heartbeats and the store; loads no plugin. */
export async function showStatus({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(async (host) => {
    const { store, config } = host;
    const [gateways, sessions, handoffs] = await Promise.all([
      store.gateways.alive(),
      store.sessions.count(),
      store.handoffs.list({ inFlight: true, limit: 100 }),
    ]);
    output.document({
      gateways: gateways.map(({ id, holder, startedAt, heartbeatAt, configPath }) => {
        return { id, pid: holder.pid, startedAt, heartbeatAt, configPath };
      }),
      adapters: gateways.flatMap(({ platforms }) =>
        platforms.map(({ platform, account, health, standby, home }) => ({
          platform,
          ...(account === undefined ? {} : { account }),
          health: health.state,
          detail: health.detail ?? null,
          address: health.address ?? null,
          standby,
          home: home?.name ?? home?.chatId ?? null,
        })),
      ),
      sessions,
      handoffs: handoffs.map((handoff) => handoffDocument(handoff)),
    });
    if (output.json) return;
    if (gateways.length === 0) output.line("No gateway is running. `hermes gateway --detach` starts one.");
    for (const gateway of gateways) printGateway(output, host, gateway);
    output.line(`${sessions} session${sessions === 1 ? "" : "s"}`);
    for (const { platform, step, state, sessionId } of handoffs) {
      const title = (await store.sessions.get(sessionId))?.title ?? sessionId;
      output.line(`“${title}” is being handed off to ${platform}: ${step ?? state}`);
    }
    output.line(output.colors.dim(`config: ${config.path ?? "none, the defaults"}`));
  });
}

function printGateway(output: Output, host: Host, gateway: GatewayRow): void {
  const { bold, green, yellow, red, dim } = output.colors;
  const { holder, startedAt, platforms } = gateway;
  output.line(`${bold("gateway")} pid ${holder.pid}, for ${ageText(host.clock.now() - startedAt)}`);
  noteOtherConfig(output, host, gateway);
  for (const { platform, account, health, standby, home } of platforms) {
    const paint = health.state === "up" ? green : health.state === "down" ? red : yellow;
    const name = account === undefined ? platform : `${platform} (${account})`;
    const state = standby ? dim("standing by") : paint(health.state);
    const homeText = home === null ? "no home channel" : `home: ${home.name ?? home.chatId}`;
    const facts = [state, health.detail, health.address].filter((fact) => fact !== undefined);
    output.line(`  ${name}: ${facts.join(", ")}  ${dim(homeText)}`);
  }
  if (platforms.length === 0) output.line("  it serves no platform");
}
