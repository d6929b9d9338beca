/** A gateway whose agent calls a tool once a message, which needs a person's yes; it tells when the call runs. */
import { AGENT, runGateway, TOOLS } from "@hermes/core/embed";
import { callingAgent, idleTool } from "./calling-agent.ts";
import { noteAsked, tell } from "./tell-asked.ts";

const ending = new AbortController();
process.once("disconnect", () => ending.abort());

process.exitCode = await runGateway({
  override: (container) => {
    container.registerInstance(
      AGENT,
      callingAgent(() => ({ steps: 1, each: 1 })),
    );
    container.registerInstance(TOOLS, [idleTool(noteAsked)]);
  },
  onReady: () => tell({ ready: true }),
  signal: ending.signal,
});
