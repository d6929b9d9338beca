import { revokePass as revoke } from "../../overview/passes.ts";
import type { CliContext } from "../context.ts";

/** `hermes passes revoke` */
export async function revokePass({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(
    async ({ store }) => {
      const document = await revoke(store, reference);
      const { number, usedBy } = document;
      output.document(document);
      output.line(
        usedBy === null
          ? `Pass ${number} is revoked.`
          : `Pass ${number} is revoked: ${usedBy} can no longer write in the session.`,
      );
    },
    { needsConfig: false },
  );
}
