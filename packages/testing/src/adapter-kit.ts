import type { Emulator } from "@hermes/emulator";
import { proofsOf } from "./adapter-kit/all-proofs.ts";
import type { AdapterProof } from "./adapter-kit/proof.ts";
import { PROOF_TIMEOUT_MS } from "./adapter-kit/prove-adapter.ts";
import { publishFindings } from "./adapter-kit/report.ts";
import { type AdapterFinding, runProof } from "./adapter-kit/run-proof.ts";
import type { AdapterUnderTest } from "./adapter-kit/subject.ts";
import { beginCounting } from "./count-work.ts";
import { after, describe, it } from "./test-runner.ts";

const reported: AdapterFinding[] = [];

/**
 * Tests that an adapter keeps the rules of the adapter contract and the guarantees that depend on it: against its
 * platform's emulator, through real gateways with a real store in this process. Call it in a test file, which vitest or
 * `node --test` runs:
 *
 * ```ts
 * describeAdapter<AcmeEmulator>({
 *   name: "acme",
 *   createEmulator: () => startAcmeEmulator(),
 *   descriptor: (emulator, options) => acme({ ...emulator.options, ...options }),
 *   homes: () => [{ name: "direct message", home: { chatId: "1" }, kind: "dm", threads: false }],
 *   notClaimed: { "once/edited": "Messages cannot be edited there." },
 * });
 * ```
 *
 * Each proof gets a new platform and machine. One that does not apply (not claimed, or CannotEmulate from the emulator)
 * is reported as "not claimed" with the reason. `HERMES_CONFORMANCE=json` or `table` prints the report to stdout, or
 * appends it to the file `HERMES_CONFORMANCE_FILE`; `unclaimed` prints what to write next, and `readme` writes a table
 * into the README when all proofs ran. Several are separated by commas.
 */
export function describeAdapter<E extends Emulator>(subject: AdapterUnderTest<E>): void {
  const under = subject as AdapterUnderTest;
  const own: AdapterFinding[] = [];
  const prove = (proofs: readonly AdapterProof[]) => {
    for (const proof of proofs) {
      it(`${proof.id}: ${proof.proof}`, { timeout: PROOF_TIMEOUT_MS }, async () => {
        const { finding, error } = await runProof(under, proof);
        own.push(finding);
        reported.push(finding);
        if (finding.result === "failed") throw error;
      });
    }
  };
  const proofs = proofsOf(under);
  const counting = beginCounting();
  describe(`the adapter of ${subject.name}`, () => {
    describe("counted", () => {
      prove(proofs.filter(({ isCounted }) => isCounted));
      after(() => counting[Symbol.dispose]());
    });
    prove(proofs.filter(({ isCounted }) => !isCounted));
    after(() => publishFindings(own, { isWhole: own.length === proofs.length }));
  });
}

/** Returns the findings of `describeAdapter` in this process so far. */
export function adapterReport(): readonly AdapterFinding[] {
  return [...reported];
}
