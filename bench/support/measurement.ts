/** One thing that Hermes promises, and how to find out. All of them stand under `measurements/`. */
export interface Measurement {
  /** What `--only` takes. */
  readonly name: string;
  /** For people: what is measured, in one sentence. */
  readonly what: string;
  readonly unit: string;
  readonly target: Target;
  /** Throws when it cannot be made. Leaves nothing behind. */
  run(options: RunOptions): Promise<Outcome>;
}

/** The figure that was promised, with its bound in the measurement's unit. */
export type Target = { readonly figure: string } & ({ readonly atMost: number } | { readonly atLeast: number });

export interface RunOptions {
  /** Smaller sizes: shows that everything works, says little about the targets. */
  readonly quick: boolean;
  /** Tells people what goes on. */
  readonly progress: (text: string) => void;
}

export type Values = Readonly<Record<string, number>>;

export interface Outcome {
  readonly values: Values;
  /** Several ways of doing it; then the target is for each of them. */
  readonly cases?: Readonly<Record<string, Values>>;
  /** Further ways, for which nothing was promised. */
  readonly casesBeside?: Readonly<Record<string, Values>>;
  /** Yardsticks that were measured in the same run, turn by turn with the real thing. */
  readonly baselines?: readonly { readonly what: string; readonly values: Values }[];
}

/** The machine offers no way to measure this. */
export class NotMeasurable extends Error {}

/** Whether every case (or, without cases, the whole) keeps the promise. */
export function meets(target: Target, { values, cases }: Outcome): boolean {
  return Object.values(cases ?? { all: values }).every((one) => {
    const figure = one[target.figure];
    if (figure === undefined)
      throw new Error(`there is no figure ${target.figure} among ${Object.keys(one).join(", ")}`);
    return "atMost" in target ? figure <= target.atMost : figure >= target.atLeast;
  });
}

export function describeTarget(target: Target): string {
  return "atMost" in target ? `${target.figure} ≤ ${target.atMost}` : `${target.figure} ≥ ${target.atLeast}`;
}
