import { reasonOf } from "@hermes/core";
import { CannotEmulate } from "@hermes/emulator";
import { type AdapterProof, NotClaimed, type ProofContext } from "./proof.ts";
import { Stage, type StageOptions } from "./stage.ts";
import type { AdapterUnderTest, KitHome } from "./subject.ts";
import { toClaim } from "./to-claim.ts";
import { evidenceOf } from "./trail.ts";

/** The result of a proof. */
export interface AdapterFinding {
  readonly platform: string;
  readonly id: string;
  readonly rule: string;
  readonly proof: string;
  readonly result: "passed" | "failed" | "not claimed";
  /** Why the proof failed, or why there is nothing to prove. */
  readonly detail?: string;
  /** Of a failure: the home channel in which the rule was broken. */
  readonly place?: string;
  /** Of a failure: what happened there last, oldest first. */
  readonly trail?: readonly string[];
  /** Of what is not claimed: what to write, and where, so that the proof applies. */
  readonly toClaim?: string;
}

/** Runs one proof. Never throws: a failure is in the finding, with `error` for its stack. */
export async function runProof(
  subject: AdapterUnderTest,
  { id, rule, proof, run }: AdapterProof,
): Promise<{ readonly finding: AdapterFinding; readonly error: unknown }> {
  const about = { platform: subject.name, id, rule, proof };
  const unclaimed = (detail: string, sentence: string) => ({
    finding: { ...about, result: "not claimed" as const, detail, toClaim: sentence },
    error: null,
  });
  const reason = subject.notClaimed?.[id];
  if (reason !== undefined)
    return unclaimed(
      reason,
      `Take \`${id}\` out of \`notClaimed\` in ${subject.files?.subject ?? "the conformance subject"}.`,
    );
  try {
    await run(contextOf(subject));
    return { finding: { ...about, result: "passed" }, error: null };
  } catch (error) {
    const detail = error instanceof Error ? error.message : reasonOf(error);
    if (error instanceof NotClaimed || error instanceof CannotEmulate)
      return unclaimed(detail, toClaim(id, subject.files));
    const finding: AdapterFinding = { ...about, result: "failed", detail, ...evidenceOf(error) };
    return { finding, error: new BrokenRule(finding, error) };
  }
}

/** The error that a test runner shows for a failed proof: the rule, the place and what happened there. */
class BrokenRule extends Error {
  constructor(finding: AdapterFinding, cause: unknown) {
    super(describeFailure(finding).join("\n"), { cause });
    this.name = "BrokenRule";
  }
}

/** Describes a failure for people: what is wrong, where, after what, and where the rule stands. */
export function describeFailure({ id, rule, detail = "", place, trail = [] }: AdapterFinding): string[] {
  return [
    detail,
    ...(place === undefined ? [] : [`in ${place}`]),
    ...(trail.length === 0 ? [] : ["after this:", ...trail.map((event) => `  ${event}`)]),
    `Rule: ${rule}; see ${docsOf(id)}`,
  ];
}

/** Where the documentation that lies within this package tells of a proof. */
export function docsOf(id: string): string {
  return `@hermes/testing/docs/adapter-kit.md#${id.replace("/", "-").toLowerCase()}`;
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
      const chosen = homes.flatMap((home, index) => (fitting(home) ? [index] : []));
      if (chosen.length === 0) throw new NotClaimed(`There is no home channel ${wanted}`.trimEnd());
      for (const index of chosen) await stage(work, { ...options, home: index });
    },
  };
}
