/** What the kit needs of a test runner. */
interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, options: { readonly timeout: number }, run: () => Promise<void>): unknown;
  /** Calls `run` after the last test of the `describe` around it. */
  after(run: () => void): unknown;
}

/** The runner that runs this process: vitest, else Node's own. */
export const { describe, it, after } = isVitest() ? await vitest() : await nodeTest();

async function vitest(): Promise<TestRunner> {
  const { afterAll, describe, it } = await import("vitest");
  return { describe, it, after: afterAll };
}

async function nodeTest(): Promise<TestRunner> {
  const { after, describe, it } = await import("node:test");
  return { describe, it, after };
}

/** A process that `node --test` starts is not vitest's, even if a test of vitest started `node --test`. */
function isVitest(): boolean {
  return process.env.VITEST !== undefined && process.env.NODE_TEST_CONTEXT === undefined;
}
