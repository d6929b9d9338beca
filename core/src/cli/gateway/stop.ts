import { sleep } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { GatewayRow } from "../../model/gateway-row.ts";
import type { CliContext } from "../context.ts";

/** How long a gateway may take to let what runs come to its end, in milliseconds. */
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** `hermes gateway stop`: asks the gateways of this machine to end, and waits until they have. */
export async function stopGateways({ output, withHost }: CliContext): Promise<number> {
  return withHost(
    async (host) => {
      const { here, elsewhere } = await runningGateways(host);
      await endGateways(host, here);
      output.document({ stopped: here.map(({ holder }) => holder.pid) });
      for (const { holder } of here) output.line(`Stopped the gateway (pid ${holder.pid}).`);
      if (elsewhere > 0) output.line(`${elsewhere} on other machines go on; stop them there.`);
      if (here.length + elsewhere === 0) output.line("No gateway is running.");
      return 0;
    },
    { needsConfig: false },
  );
}

/** The gateways of this home: those of this machine, and how many others there are. */
export async function runningGateways({
  store,
  probe,
}: Pick<Host, "store" | "probe">): Promise<{ readonly here: readonly GatewayRow[]; readonly elsewhere: number }> {
  const all = [...(await store.gateways.alive()), ...(await store.gateways.silent())];
  const here = all.filter(({ holder }) => probe.fate(holder) === "alive");
  return { here, elsewhere: all.length - here.length };
}

/** Asks gateways of this machine to end, and waits until they have. Throws GAVE_UP_WAITING. */
export async function endGateways(
  { clock, probe }: Pick<Host, "clock" | "probe">,
  gateways: readonly GatewayRow[],
): Promise<void> {
  for (const { holder } of gateways) terminate(holder.pid);
  const until = clock.now() + PATIENCE_MS;
  while (gateways.some(({ holder }) => probe.fate(holder) === "alive")) {
    if (clock.now() >= until) {
      const pids = gateways.map(({ holder }) => holder.pid).join(", ");
      throw new HermesError("GAVE_UP_WAITING", {
        seconds: PATIENCE_MS / 1000,
        what: `the gateway (pid ${pids}) to end`,
      });
    }
    await sleep(clock, LOOK_AGAIN_MS);
  }
}

function terminate(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
    // A suspended process receives the signal when it resumes.
    process.kill(pid, "SIGCONT");
  } catch (error) {
    // It may have ended by itself just now.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
