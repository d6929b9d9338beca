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

/** Which of the home channels, and what they are called where there is none. */
export interface HomeFilter extends StageOptions {
  readonly fitting?: (home: KitHome) => boolean;
  readonly wanted?: string;
}

/** Home channels in which a handoff opens a thread. */
export const WITH_THREADS: HomeFilter = { fitting: ({ threads }) => threads, wanted: "where threads can be opened" };

/** Home channels that messages can be written to. */
export const HOLDING_MESSAGES: HomeFilter = { fitting: ({ canHoldMessages = true }) => canHoldMessages };

/** A proof of the kit's own, which may be no more than what is played on a stage. */
export type KitProof =
  | AdapterProof
  | (Omit<AdapterProof, "run"> & {
      /** What the stage is given; one stage unless `homes` says in which home channels it is played. */
      readonly stage?: StageOptions;
      readonly homes?: HomeFilter;
      /** Throws as `run` does. */
      play(on: Stage): Promise<void>;
    });

/** The proof as whoever runs it takes it. */
export function toAdapterProof(proof: KitProof): AdapterProof {
  if ("run" in proof) return proof;
  const { stage, homes, play, ...about } = proof;
  return { ...about, run: (kit) => (homes ? kit.inEachHome(play, homes) : kit.stage(play, stage)) };
}

export interface ProofContext {
  readonly subject: AdapterUnderTest;
  /** Runs `work` with a new platform and a machine of its own, and clears up. `home` is the index of the home channel. */
  stage(work: (stage: Stage) => Promise<void>, options?: StageOptions): Promise<void>;
  /** Runs `work` on a stage for each home channel; NotClaimed when none of them is `fitting`. */
  inEachHome(work: (stage: Stage) => Promise<void>, options?: HomeFilter): Promise<void>;
}

/** The adapter makes no such claim, so there is nothing to prove. */
export class NotClaimed extends Error {}
