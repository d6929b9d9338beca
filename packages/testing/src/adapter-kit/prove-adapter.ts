import type { Emulator } from "@hermes/emulator";
import { beginCounting } from "../count-work.ts";
import { proofsOf } from "./all-proofs.ts";
import type { AdapterProof } from "./proof.ts";
import { type AdapterFinding, runProof } from "./run-proof.ts";
import type { AdapterUnderTest } from "./subject.ts";

/** Milliseconds for one proof. Generous, since some client libraries wait for seconds before they reconnect. */
export const PROOF_TIMEOUT_MS = 480_000;

/** Called while proofs run. */
export interface ProofProgress {
  /** A proof begins. */
  begins?(proof: Pick<AdapterProof, "id" | "rule" | "proof">): void;
  /** A proof has ended, after so many milliseconds. */
  ended?(finding: AdapterFinding, milliseconds: number): void;
}

/**
 * Runs proofs without a test runner: all, or those with the given ids. A disproved rule is a finding, not a throw. The
 * findings are in the order of the rules.
 */
export async function proveAdapter<E extends Emulator>(
  subject: AdapterUnderTest<E>,
  ids?: readonly string[],
  progress: ProofProgress = {},
): Promise<AdapterFinding[]> {
  const under = subject as AdapterUnderTest;
  const proofs = proofsOf(under).filter(({ id }) => ids === undefined || ids.includes(id));
  const findings = new Map<string, AdapterFinding>();
  const prove = async (proof: AdapterProof) => {
    progress.begins?.(proof);
    const start = performance.now();
    const finding = await withinTime(under, proof);
    findings.set(proof.id, finding);
    progress.ended?.(finding, Math.round(performance.now() - start));
  };
  const counted = proofs.filter(({ isCounted }) => isCounted);
  if (counted.length > 0) {
    using _counting = beginCounting();
    for (const proof of counted) await prove(proof);
  }
  for (const proof of proofs) if (!proof.isCounted) await prove(proof);
  return proofs.flatMap(({ id }) => findings.get(id) ?? []);
}

async function withinTime(subject: AdapterUnderTest, proof: AdapterProof): Promise<AdapterFinding> {
  const { id, rule, proof: sentence } = proof;
  const late: AdapterFinding = {
    ...{ platform: subject.name, id, rule, proof: sentence },
    ...{ result: "failed", detail: `it did not end within ${PROOF_TIMEOUT_MS / 1_000} s` },
  };
  const { promise, resolve } = Promise.withResolvers<AdapterFinding>();
  const timer = setTimeout(() => resolve(late), PROOF_TIMEOUT_MS);
  try {
    return await Promise.race([runProof(subject, proof).then(({ finding }) => finding), promise]);
  } finally {
    clearTimeout(timer);
  }
}
