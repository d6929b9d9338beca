import { useEffect, useRef, useState } from "preact/hooks";
import type { WireAction } from "../../src/server/wire/overview.ts";
import { ApiError, postAction, readOverview, sentenceOf } from "../state/api.ts";
import { getState, setState } from "../state/store.ts";

export interface Shown<T> {
  /** Null until it was read. The last one stays while a newer one is read. */
  readonly value: T | null;
  /** Why it could not be read, in a sentence. */
  readonly problem: string | null;
}

/**
 * A document of the overview. Read anew when something has changed, which the page's events say, and when the tab is
 * looked at again.
 */
export function useDocument<T>(of: string, query: Readonly<Record<string, string>> = {}): Shown<T> {
  const path = `${of}?${new URLSearchParams(query)}`;
  const [shown, setShown] = useState<Shown<T> & { readonly path: string }>({ path, value: null, problem: null });
  const again = useRef(() => {});
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      try {
        const value = await readOverview<T>(path);
        if (!isOver) setShown({ path, value, problem: null });
      } catch (error) {
        if (isOver) return;
        // Nothing of it stays on the screen of somebody who may not see it any more.
        if (error instanceof ApiError && error.status === 403) setState({ mayOversee: false });
        setShown((before) => ({ path, value: before.path === path ? before.value : null, problem: sentenceOf(error) }));
      }
    };
    const readOnce = oneAtATime(read);
    again.current = () => {
      if (!isOver && document.visibilityState === "visible") readOnce();
    };
    const readWhenSeen = () => again.current();
    readOnce();
    document.addEventListener("visibilitychange", readWhenSeen);
    return () => {
      isOver = true;
      document.removeEventListener("visibilitychange", readWhenSeen);
    };
  }, [path]);
  const { overviewChange } = getState();
  const seen = useRef(overviewChange);
  useEffect(() => {
    if (seen.current === overviewChange) return;
    seen.current = overviewChange;
    again.current();
  }, [overviewChange]);
  return shown.path === path ? shown : { value: null, problem: null };
}

/** Runs `work`, and once more after it if that was asked for meanwhile: so slow answers are shown, too. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isAskedAgain = false;
  const run = async () => {
    isRunning = true;
    do {
      isAskedAgain = false;
      await work();
    } while (isAskedAgain);
    isRunning = false;
  };
  return () => {
    if (isRunning) isAskedAgain = true;
    else void run();
  };
}

/**
 * Does something, says what came of it, and has all that is shown read anew. `done`: a sentence, or what makes one of the
 * answer. Whether it was done.
 */
export async function act<T>(action: WireAction, done: string | ((answer: T) => string)): Promise<boolean> {
  let isDone = false;
  try {
    const answer = await postAction<T>(action);
    isDone = true;
    setState({ overviewSaid: { text: typeof done === "string" ? done : done(answer), isProblem: false } });
  } catch (error) {
    setState({ overviewSaid: { text: sentenceOf(error), isProblem: true } });
  }
  setState({ overviewChange: getState().overviewChange + 1 });
  return isDone;
}
