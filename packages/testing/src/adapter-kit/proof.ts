import type { Stage, StageOptions } from "./stage.ts";
import type { AdapterUnderTest, KitHome } from "./subject.ts";

/** Something that is shown to hold for an adapter, or not. */
export interface AdapterProof {
  /** Such as `keys/restart`; `notClaimed` names proofs by it. */
  readonly id: string;
  /** The rule or guarantee that it belongs to. */
  readonly rule: string;
  /** What is proved, as a sentence without a full stop. */
  readonly proof: string;
  /** It counts what the adapter does, and so has to come before the others: see `beginCounting`. */
  readonly isCounted?: boolean;
  /** Throws what speaks against it, and NotClaimed where the adapter does not claim it. */
  run(kit: ProofContext): Promise<void>;
}

export interface ProofContext {
  readonly subject: AdapterUnderTest;
  /** Runs `work` with a new platform and a machine of its own, and clears up. `home` is the index of the home channel. */
  stage(work: (stage: Stage) => Promise<void>, options?: StageOptions): Promise<void>;
  /** Runs `work` on a stage for each home channel; NotClaimed when none of them is `fitting`. */
  inEachHome(
    work: (stage: Stage) => Promise<void>,
    options?: StageOptions & { readonly fitting?: (home: KitHome) => boolean; readonly wanted?: string },
  ): Promise<void>;
}

/** The adapter makes no such claim, so there is nothing to prove. */
export class NotClaimed extends Error {}
