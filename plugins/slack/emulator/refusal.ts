/** What Slack answers with `ok: false`. */
export class Refusal extends Error {
  readonly code: string;
  readonly more: Readonly<Record<string, unknown>>;

  constructor(code: string, more: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.more = more;
  }
}
