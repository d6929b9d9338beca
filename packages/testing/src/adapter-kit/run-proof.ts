import { reasonOf } from "@hermes/core";
import { CannotEmulate } from "@hermes/emulator";
import { Disproved } from "./check.ts";
import { type AdapterProof, NotClaimed, type ProofContext } from "./proof.ts";
import { Stage, type StageOptions } from "./stage.ts";
import type { AdapterUnderTest, KitHome } from "./subject.ts";

/** The result of a proof. */
export interface AdapterFinding {
  readonly platform: string;
  readonly id: string;
  readonly rule: string;
  readonly proof: string;
  readonly result: "passed" | "failed" | "not claimed";
  /** Why the proof failed, or why there is nothing to prove. */
  readonly detail?: string;
}

/** Runs one proof. Never throws: a failure is in the finding, with `error` for its stack. */
export async function runProof(
  subject: AdapterUnderTest,
  { id, rule, proof, run }: AdapterProof,
): Promise<{ readonly finding: AdapterFinding; readonly error: unknown }> {
  const about = { platform: subject.name, id, rule, proof };
  const reason = subject.notClaimed?.[id];
  if (reason !== undefined) return { finding: { ...about, result: "not claimed", detail: reason }, error: null };
  try {
    await run(contextOf(subject));
    return { finding: { ...about, result: "passed" }, error: null };
  } catch (error) {
    const detail = error instanceof Error ? error.message : reasonOf(error);
    const isUnclaimed = error instanceof NotClaimed || error instanceof CannotEmulate;
    if (isUnclaimed) return { finding: { ...about, result: "not claimed", detail }, error: null };
    return { finding: { ...about, result: "failed", detail }, error };
  }
}

function contextOf(subject: AdapterUnderTest): ProofContext {
  const stage = (work: (stage: Stage) => Promise<void>, options: StageOptions = {}) =>
    Stage.play(subject, work, options);
  return {
    subject,
    stage,
    async inEachHome(work, { fitting = () => true, wanted = "", ...options } = {}) {
      const homes: KitHome[] = [];
      await stage(async (first) => void homes.push(...first.homes));
      const chosen = homes.flatMap((home, index) => (fitting(home) ? [{ home, index }] : []));
      if (chosen.length === 0) throw new NotClaimed(`There is no home channel ${wanted}`.trimEnd());
      for (const { home, index } of chosen) {
        await stage(work, { ...options, home: index }).catch((error: unknown) => {
          if (!(error instanceof Disproved)) throw error;
          throw new Disproved(`${home.name}: ${error.message}`, { cause: error });
        });
      }
    },
  };
}
