import { type Profiler, Session } from "node:inspector";

let counting: { readonly session: Session; users: number } | null = null;

/**
 * Starts counting the work of this process's JavaScript, until it is disposed of. Only code that first runs after this
 * call is counted fully: V8 adds the counters when it compiles a function. Slows everything down.
 */
export function beginCounting(): Disposable {
  if (counting === null) {
    const session = new Session();
    session.connect();
    session.post("Profiler.enable");
    session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    counting = { session, users: 0 };
  }
  const current = counting;
  current.users++;
  let isOver = false;
  return {
    [Symbol.dispose]() {
      if (isOver) return;
      isOver = true;
      if (--current.users > 0) return;
      current.session.disconnect();
      counting = null;
    },
  };
}

/**
 * Counts the steps of each piece of work: the executed blocks of code (bodies of functions, loops and branches). The
 * result does not depend on the machine's load. Built-in code, such as regular expressions, is not counted.
 */
export function countWork(works: readonly (() => void)[]): number[] {
  using _counting = beginCounting();
  takeBlocks();
  return works.map((work) => {
    work();
    return takeBlocks();
  });
}

/** The number of blocks executed since the last call. */
function takeBlocks(): number {
  let blocks = 0;
  // The callback runs synchronously, since the session is on this thread.
  counting?.session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error) throw error;
    for (const script of result) blocks += blocksIn(script);
  });
  return blocks;
}

function blocksIn({ functions }: Profiler.ScriptCoverage): number {
  let blocks = 0;
  for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  return blocks;
}
