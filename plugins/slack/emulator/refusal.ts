import { ApiRefusal } from "@hermes/emulator";

/** What Slack answers with `ok: false`. */
export class Refusal extends ApiRefusal {
  constructor(code: string, more: Readonly<Record<string, unknown>> = {}) {
    super(200, { ok: false, error: code, ...more });
  }
}
