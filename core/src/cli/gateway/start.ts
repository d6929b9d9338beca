import { runGateway } from "../../gateway/run-gateway.ts";
import type { CliContext } from "../context.ts";
import { describePlatforms } from "./describe-platforms.ts";

/** `hermes gateway`: serves until SIGINT, SIGTERM or the end of its terminal, then lets what runs come to its end. */
export async function startGateway(context: CliContext, { detach = false }: { detach?: boolean }): Promise<number> {
  if (detach) return (await import("./detach.ts")).detachGateway(context);

  const { io, output, configPath, override } = context;
  const stop = new AbortController();
  const drain = () => {
    if (!stop.signal.aborted) output.note("Stopping; what runs comes to its end first.");
    stop.abort();
  };
  using _interrupt = io.onSignal("SIGINT", drain);
  using _terminate = io.onSignal("SIGTERM", drain);
  using _hangUp = io.onSignal("SIGHUP", drain);
  return await runGateway({
    ...(configPath === undefined ? {} : { configPath }),
    environment: io.environment,
    workingDirectory: io.workingDirectory,
    signal: stop.signal,
    ...(override === undefined ? {} : { override }),
    onReady(info) {
      output.document(info);
      output.line(`The gateway is ready (pid ${info.pid}): ${describePlatforms(info.platforms)}.`);
    },
  });
}
