/**
 * `fetch` for the providers' packages. They take a refused connection for a passing fault and wait; but where nobody
 * listens, a model server was not started, and the user should hear of it at once.
 */
export const modelFetch: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const { origin } = new URL(input instanceof Request ? input.url : input);
    throw new Error(`nobody listens at ${origin}`);
  }
};

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
