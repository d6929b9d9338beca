import type { Host } from "../../host/host.ts";
import type { Compaction } from "../../model/compaction.ts";
import type { Session } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { createAnswerPrinter } from "./answer-printer.ts";
import type { News } from "./news.ts";
import type { Running } from "./running.ts";

/** What is said while a model sums up. */
export const SUMMING_UP = "summing up the beginning of this session";

/** Has the beginning of a session summed up from the chat, where Ctrl-C stops it. */
export async function compactHere(
  host: Host,
  output: Output,
  running: Running,
  news: News,
  session: Session,
  focus: string | null,
): Promise<Compaction> {
  using printer = createAnswerPrinter(output, host.clock);
  return await running.run("command", (signal) =>
    host.runner.compact({
      ...{ sessionId: session.id, surface: "terminal", focus, signal },
      onEvent(event) {
        if (event.type === "started") news.own(event.turn.id);
        if (event.type === "compacting") printer.wait(SUMMING_UP);
      },
    }),
  );
}
