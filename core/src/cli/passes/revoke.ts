import { HermesError } from "../../base/errors.ts";
import type { CliContext } from "../context.ts";

/** `hermes passes revoke` */
export async function revokePass({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async ({ store }) => {
      const number = /^\d{1,9}$/.test(reference) ? Number(reference) : 0;
      const pass = await store.codes.get(number);
      if (pass?.kind !== "pass" || !(await store.codes.revoke(number))) {
        throw new HermesError("PASS_UNKNOWN", { reference });
      }
      output.document({ number, state: "revoked" });
      output.line(
        pass.state === "taken" && pass.who !== null
          ? `Pass ${number} is revoked: what ${pass.who.name ?? pass.who.id} writes leads to the session no more.`
          : `Pass ${number} is revoked.`,
      );
    },
    { needsConfig: false },
  );
}
