import { sleep } from "../../base/clock.ts";
import type { ApprovalId } from "../../model/approval.ts";
import type { SessionId } from "../../model/session.ts";
import { RawTerminal } from "../../terminal/input/raw-terminal.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import { Company } from "./company.ts";
import { News } from "./news.ts";
import { OpenView } from "./open-view.ts";
import { untilToldToEnd } from "./told-to-end.ts";
import { noteWaiting } from "./unasked.ts";
import { watchHandoff } from "./watch-handoff.ts";

/** How long it is waited at a time: a timer keeps the process alive. In milliseconds. */
const DAY_MS = 24 * 60 * 60_000;

/** `hermes attach --read-only`: shows what is said in a session until Ctrl-C; nothing can be written. */
export async function watchSession(
  { io, output }: CliContext,
  host: TerminalHost,
  sessionId: SessionId,
): Promise<number> {
  const { store, clock, logger } = host;
  const ended = new AbortController();
  let exit = 0;
  const end = (code = 0) => {
    exit = code;
    ended.abort();
  };
  const asked = new Set<ApprovalId>();
  const look = async () => {
    if ((await store.sessions.get(sessionId)) === null) {
      output.note("The session was deleted.");
      return end();
    }
    await news.show(sessionId);
    await company.show(sessionId);
    const open = (await store.approvals.open(sessionId)).filter(({ id }) => !asked.has(id));
    for (const { id } of open) asked.add(id);
    noteWaiting(output, open);
  };
  const tryToLook = () => look().catch((error: unknown) => logger.debug({ error }, "could not look at what is new"));

  using news = new News(output, host);
  const company = new Company(output, host);
  const view = new OpenView(host);
  const listening = [io.onSignal("SIGINT", () => end()), ...untilToldToEnd(io, end)];
  if (io.isInteractive && io.draws) listening.push(readKeys(() => end()));
  try {
    view.turnTo(sessionId);
    output.note("You see what is said here, and can write nothing. Ctrl-C leaves.");
    await news.open(sessionId);
    listening.push(store.watch(() => void tryToLook()));
    await watchHandoff(output, host, sessionId, ended.signal);
    await tryToLook();
    while (!ended.signal.aborted) await sleep(clock, DAY_MS, ended.signal);
  } finally {
    for (const one of listening) one[Symbol.dispose]();
    await view.close();
  }
  return exit;

  /** Takes the keys, so that none is echoed into the answer. */
  function readKeys(leave: () => void): Disposable {
    const terminal = new RawTerminal(io, output.foot, {
      onKey(key) {
        if (key.type === "chord" && ["C-c", "C-d"].includes(key.chord)) leave();
        else if (key.type === "chord" && key.chord === "C-z") terminal.suspend();
        return !ended.signal.aborted;
      },
      onPause() {},
      onEnd: leave,
    });
    return terminal;
  }
}
