import { HermesError } from "../../base/errors.ts";
import { describePlatforms } from "../gateway/describe-platforms.ts";
import { launchGateway } from "../gateway/launch.ts";
import { startOfConfig } from "../gateway/start-of-config.ts";
import type { Init } from "./draft.ts";

/** A gateway on that config has taken the place of those that were stopped. */
export function isStartedAgain({ stopped }: Init, configPath: string | null): void {
  stopped.splice(0, stopped.length, ...stopped.filter((one) => one.configPath !== configPath));
}

/**
 * Starts the gateways again that were stopped for a home search, however the set-up ended. Notes one that does not
 * start.
 */
export async function startAgain({ stopped, context, home }: Init): Promise<void> {
  if (stopped.length === 0) return;
  const { io, output } = context;
  await context.withHost(
    async (host) => {
      for (const { configPath } of stopped.splice(0)) {
        const { environment, workingDirectory } = io;
        const start =
          configPath === null
            ? { configPath: undefined, workingDirectory, environment }
            : startOfConfig(configPath, { environment, home });
        try {
          const { holder, platforms } = await launchGateway(context, host, { start });
          output.line(`The gateway runs again (pid ${holder.pid}): ${describePlatforms(platforms)}.`);
        } catch (error) {
          if (!(error instanceof HermesError)) throw error;
          output.note(`${error.message} ${error.hint}`);
        }
      }
    },
    { needsConfig: false },
  );
}
