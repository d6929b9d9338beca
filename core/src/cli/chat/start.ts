import { HermesError } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { refuseWhileInFlight } from "../../handoff/handoff-in-flight.ts";
import type { Host } from "../../host/host.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import type { CliContext } from "../context.ts";
import { launchGateway } from "../gateway/launch.ts";
import { noteOtherConfig } from "../gateway/other-config.ts";
import { chat } from "./chat.ts";
import { withPipedInput } from "./piped-input.ts";
import { refuseJson } from "./refuse-json.ts";
import { printWelcome } from "./welcome.ts";

export interface StartChatOptions {
  readonly query?: string;
  readonly session?: string;
  readonly gateway?: boolean;
}

/** `hermes` and `hermes chat`. */
export async function startChat(context: CliContext, options: StartChatOptions): Promise<number> {
  if (options.query === undefined) refuseJson(context, "hermes chat");
  if (options.query?.trim() === "") {
    throw new HermesError("USAGE", { reason: "The message is empty", command: "hermes chat" });
  }
  return context.withHost(async (host) => {
    if (options.gateway) await ensureGateway(context, host);
    const session =
      options.session === undefined ? null : await findSession(host.store, options.session, EVERY_SESSION);
    if (session !== null) await refuseWhileInFlight(host, session.id);
    const sessionId = session?.id ?? null;
    if (options.query !== undefined) {
      const { askOnce } = await import("./ask-once.ts");
      const query = await withPipedInput(options.query, context.io, context.output, host.clock);
      return askOnce(context, host, { sessionId, query });
    }
    printWelcome(context, host);
    return chat(context, host, { sessionId });
  });
}

async function ensureGateway(context: CliContext, host: Host): Promise<void> {
  const { output } = context;
  const [running] = await host.store.gateways.alive();
  if (running === undefined) {
    const { holder } = await launchGateway(context, host);
    output.note(`Started a gateway (pid ${holder.pid}); \`hermes gateway stop\` stops it.`);
  } else {
    noteOtherConfig(output, host, running);
  }
}
