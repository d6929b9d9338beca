import { useEffect } from "preact/hooks";
import { loadCalls } from "./api.ts";
import { getState, type Log, type State, setState } from "./store.ts";

/** Turns that are asked for at once. */
const AT_ONCE = 50;

/** Turns that were asked for: one of which nothing came may not be seen. */
const asked = new Set<string>();

/** Asks for what may have changed unseen: the calls of turns that were open. */
export function callsMayHaveChanged(): void {
  const { turns } = getState();
  for (const id of asked) if (turns.get(id)?.isOpen ?? true) asked.delete(id);
  setState({ callsChange: getState().callsChange + 1 });
}

/** Loads the calls of the turns of a thread's messages, each once. */
export function useCalls(threadId: string, log: Log, { callsChange }: Pick<State, "callsChange">): void {
  useEffect(() => {
    const turnIds = new Set(log.messages.flatMap(({ turnId }) => turnId ?? []));
    const wanted = [...turnIds].filter((id) => !asked.has(id)).slice(-AT_ONCE);
    if (wanted.length > 0) void load(threadId, wanted);
  }, [threadId, log.messages, callsChange]);
}

async function load(threadId: string, turnIds: readonly string[]): Promise<void> {
  for (const id of turnIds) asked.add(id);
  try {
    const { turns } = await loadCalls(threadId, turnIds);
    // Those that are shown live are newer.
    const { turns: known, running } = getState();
    const live = new Set(running.values());
    const found = turns.filter(({ turnId }) => !(live.has(turnId) && known.has(turnId)));
    setState({ turns: new Map([...known, ...found.map((turn) => [turn.turnId, turn] as const)]) });
  } catch {
    // Asked for again with the next message, or when the page connects anew.
    for (const id of turnIds) asked.delete(id);
  }
}
