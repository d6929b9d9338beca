/** A gateway whose agent answers at once: what is left is Hermes' own share. */
import { AGENT, type Agent, runGateway } from "@hermes/core/embed";
import { noteAsked, tell } from "./tell-asked.ts";

const agent: Agent = {
  modelOf: () => "bench/at-once",
  async *run({ messages }) {
    noteAsked(messages.at(-1)?.text ?? "");
    yield { type: "message", text: "Done.", calls: [] };
  },
};

const ending = new AbortController();
process.once("disconnect", () => ending.abort());

process.exitCode = await runGateway({
  override: (container) => void container.registerInstance(AGENT, agent),
  onReady: () => tell({ ready: true }),
  signal: ending.signal,
});
