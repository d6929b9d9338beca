import { systemClock } from "../../base/clock.ts";
import { runGateway } from "../../gateway/run-gateway.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { describePlatforms } from "./describe-platforms.ts";
import { returnMemory } from "./return-memory.ts";

/** `hermes gateway`: serves until SIGINT, SIGTERM or the end of its terminal, then lets what runs come to its end. */
export async function startGateway(context: CliContext, { detach = false }: { detach?: boolean }): Promise<number> {
  if (detach) return (await import("./detach.ts")).detachGateway(context);

  const { io, output, configPath, override } = context;
  const stop = new AbortController();
  const drain = () => {
    if (!stop.signal.aborted) output.note("Stopping; running turns finish first.");
    stop.abort();
  };
  using _interrupt = io.onSignal("SIGINT", drain);
  using _terminate = io.onSignal("SIGTERM", drain);
  using _hangUp = io.onSignal("SIGHUP", drain);
  const timers: Disposable[] = [];
  using _timers = { [Symbol.dispose]: () => timers.forEach((timer) => void timer[Symbol.dispose]()) };
  return await runGateway({
    ...(configPath === undefined ? {} : { configPath }),
    environment: io.environment,
    workingDirectory: io.workingDirectory,
    confirmChange: confirmChangeOn(output),
    signal: stop.signal,
    override,
    onReady(info) {
      timers.push(returnMemory(systemClock));
      output.document(info);
      output.line(`The gateway is ready (pid ${info.pid}): ${describePlatforms(info.platforms)}.`);
      for (const notice of info.notices) output.note(notice);
      for (const { notice } of info.platforms) if (notice !== undefined) output.note(notice);
    },
  });
}
