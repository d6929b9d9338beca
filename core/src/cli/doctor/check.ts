import type { CheckedModel } from "../../agent/check-model.ts";
import type { Clock } from "../../base/clock.ts";
import type { HermesError } from "../../base/errors.ts";
import type { ProcessProbe } from "../../base/process-identity.ts";
import type { CheckedConfig } from "../../config/check-config.ts";
import type { Finding } from "../../plugin/plugin-setup.ts";
import type { StoreReport } from "../../store/store-report.ts";
import type { Machine } from "./machine.ts";

/** One thing that was looked at, and how it is mended where that is safe. */
export interface DoctorFinding extends Finding {
  /** Mends it, and says in a sentence what was done. For `--fix`. */
  readonly fix?: () => string | Promise<string>;
}

/** One concern of the doctor. */
export interface Check {
  /** For scripts: `store`, `plugin acme`. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** May throw: that becomes a finding. Ends with the signal. */
  run(context: DoctorContext, signal: AbortSignal): Promise<readonly DoctorFinding[]>;
}

/** What the checks look at. */
export interface DoctorContext {
  readonly home: string;
  readonly workingDirectory: string;
  /** With what the `.env` beside the config adds. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
  readonly machine: Machine;
  /** Null where the home is open to others: what is in it, and the folders it trusts, may not be the person's own. */
  readonly checked: CheckedConfig | null;
  readonly redact: (text: string) => string;
  /** Asked once, for all checks. Rejects with STORE_UNREADABLE and the like. */
  readonly store: () => Promise<StoreReport>;
  /** Asked once, for all checks; null where no model is set. Rejects with what keeps the model from being asked. */
  readonly model: () => Promise<CheckedModel | null>;
}

export function ok(message: string): DoctorFinding {
  return { state: "ok", message };
}

export function warning(message: string, hint: string, fix?: DoctorFinding["fix"]): DoctorFinding {
  return { state: "warning", message, hint, ...(fix && { fix }) };
}

export function problem(message: string, hint: string, fix?: DoctorFinding["fix"]): DoctorFinding {
  return { state: "problem", message, hint, ...(fix && { fix }) };
}

export function ofError({ message, hint }: HermesError, state: "warning" | "problem" = "problem"): DoctorFinding {
  return { state, message, hint };
}
