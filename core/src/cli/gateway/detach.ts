import type { CliContext } from "../context.ts";
import { noteToolsDirectory } from "../note-tools-directory.ts";
import { describePlatforms } from "./describe-platforms.ts";
import { launchGateway } from "./launch.ts";
import { noteOtherConfig } from "./other-config.ts";

/** `hermes gateway --detach`: starts one in the background, unless one runs already. */
export async function detachGateway(context: CliContext): Promise<number> {
  const { output } = context;
  return context.withHost(async (host) => {
    const [running] = await host.store.gateways.alive();
    if (running !== undefined) {
      output.document({ id: running.id, pid: running.holder.pid, started: false });
      output.line(`A gateway is running already (pid ${running.holder.pid}).`);
      noteOtherConfig(output, host, running);
      return 0;
    }
    const { id, holder, platforms } = await launchGateway(context, host);
    const starting = platforms.filter(({ health }) => health.state === "starting");
    const names = starting.map(({ platform }) => platform);
    output.document({ id, pid: holder.pid, started: true, starting: names });
    output.line(`The gateway runs (pid ${holder.pid}): ${describePlatforms(platforms)}.`);
    await noteToolsDirectory(output, host);
    if (names.length > 0) output.line(`Still starting: ${names.join(", ")}. \`hermes status\` shows when it is up.`);
    return 0;
  });
}
