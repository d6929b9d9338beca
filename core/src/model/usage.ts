/** The tokens of one request to a model, as its provider counts them. Each token is in one of the four. */
export interface TokenUsage {
  /** What was sent and neither read from the provider's cache nor written to it. */
  readonly input: number;
  /** What was sent and read from the provider's cache. */
  readonly cacheRead: number;
  /** What was sent and written to the provider's cache. */
  readonly cacheWrite: number;
  /** What the model wrote, its reasoning included. */
  readonly output: number;
}
