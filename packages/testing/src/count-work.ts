import { type Profiler, Session } from "node:inspector";

let counting: { readonly session: Session; users: number } | null = null;

/**
 * Begins to count what this process's JavaScript does, until it is disposed of. Only what is run for the first time
 * behind this call is counted in full: V8 builds the counters in when it compiles a function. Slows everything down.
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
 * How many steps each of some pieces of work takes: how many blocks of code are run (bodies of functions, loops and
 * branches), each time that they are. The same whatever else the machine is busy with. What is built in, as regular
 * expressions are, counts as nothing.
 */
export function countWork(works: readonly (() => void)[]): number[] {
  using _counting = beginCounting();
  takeBlocks();
  return works.map((work) => {
    work();
    return takeBlocks();
  });
}

/** How many blocks were run since it was asked for the last time. */
function takeBlocks(): number {
  let blocks = 0;
  // Called at once: the session is that of this thread.
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
