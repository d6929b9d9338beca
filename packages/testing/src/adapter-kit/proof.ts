import type { Stage, StageOptions } from "./stage.ts";
import type { AdapterUnderTest, KitHome } from "./subject.ts";

/** A proof that an adapter keeps a rule. */
export interface AdapterProof {
  /** The proof's id, such as `keys/restart`, as used in `notClaimed`. */
  readonly id: string;
  /** The rule or guarantee that it belongs to. */
  readonly rule: string;
  /** The proved statement, as a sentence without a full stop. */
  readonly proof: string;
  /** Whether it counts the adapter's work, and so must run before the others: see `beginCounting`. */
  readonly isCounted?: boolean;
  /** Throws if the statement is wrong, and NotClaimed if the adapter does not claim it. */
  run(kit: ProofContext): Promise<void>;
}

/** Selects home channels; `wanted` describes them for the report if there is none. */
export interface HomeFilter extends StageOptions {
  readonly fitting?: (home: KitHome) => boolean;
  readonly wanted?: string;
}

/** Home channels in which a handoff opens a thread. */
export const WITH_THREADS: HomeFilter = { fitting: ({ threads }) => threads, wanted: "where threads can be opened" };

/** Home channels that can hold messages. */
export const HOLDING_MESSAGES: HomeFilter = { fitting: ({ canHoldMessages = true }) => canHoldMessages };

/** A proof of the kit itself, which may consist only of a play on a stage. */
export type KitProof =
  | AdapterProof
  | (Omit<AdapterProof, "run"> & {
      /** The options of the stage. There is one stage, or one for each home channel that `homes` selects. */
      readonly stage?: StageOptions;
      readonly homes?: HomeFilter;
      /** Throws as `run` does. */
      play(on: Stage): Promise<void>;
    });

type WithoutRule<Proof> = Proof extends unknown ? Omit<Proof, "rule"> : never;

/** Proofs of one rule. */
export function proofsOfRule(rule: string, proofs: readonly WithoutRule<KitProof>[]): readonly KitProof[] {
  return proofs.map((proof) => ({ rule, ...proof }));
}

/** Converts a proof of the kit to one that can be run. */
export function toAdapterProof(proof: KitProof): AdapterProof {
  if ("run" in proof) return proof;
  const { stage, homes, play, ...about } = proof;
  return { ...about, run: (kit) => (homes ? kit.inEachHome(play, homes) : kit.stage(play, stage)) };
}

/** What a proof works with: the subject, and stages on which it is played. */
export interface ProofContext {
  readonly subject: AdapterUnderTest;
  /** Runs `work` with a new platform and machine, and cleans up. `home` is the index of the home channel. */
  stage(work: (stage: Stage) => Promise<void>, options?: StageOptions): Promise<void>;
  /** Runs `work` on a stage for each home channel that is `fitting`; throws NotClaimed if none is. */
  inEachHome(work: (stage: Stage) => Promise<void>, options?: HomeFilter): Promise<void>;
}

/** Thrown when the adapter does not claim the feature, so that there is nothing to prove. */
export class NotClaimed extends Error {}
