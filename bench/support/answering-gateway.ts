/**
 * A gateway whose agent answers at once: what is left is Hermes' own share. Tells the process that forked it when it is
 * ready, and of each request when it came to the agent, which is after its turn was started and stored.
 */
import { AGENT, type Agent, runGateway } from "@hermes/core/embed";

/** What the gateway tells. Times are those of the machine's monotonic clock, in nanoseconds, as `process.hrtime` has them. */
export type GatewayNews =
  | { readonly ready: true }
  | {
      readonly asked: readonly { readonly text: string; readonly atNs: string }[];
      /** The processor time that the gateway has used until now. */
      readonly cpuMicros: number;
    };

const tell = (news: GatewayNews) => void process.send?.(news);

let asked: { text: string; atNs: string }[] = [];

/** In milliseconds. A message from process to process costs about as much as a write to the store, so many go together. */
const TELL_EVERY_MS = 5;

function note(text: string): void {
  const atNs = String(process.hrtime.bigint());
  if (asked.length === 0) {
    setTimeout(() => {
      const { user, system } = process.cpuUsage();
      tell({ asked, cpuMicros: user + system });
      asked = [];
    }, TELL_EVERY_MS);
  }
  asked.push({ text, atNs });
}

const agent: Agent = {
  modelOf: () => "bench/at-once",
  async *run({ messages }) {
    note(messages.at(-1)?.text ?? "");
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
