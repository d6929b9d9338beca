import type { Examination } from "@hermes/core";
import { createVirtualClock, setupContext } from "@hermes/testing";
import { whatsappOptions } from "../src/config.ts";
import { setup } from "../src/setup.ts";

/** What the set-up finds: the account, and a line for each finding. */
export async function examine(
  config: object,
  folder?: string,
): Promise<{ readonly account: Examination["account"]; readonly told: string[] }> {
  const clock = createVirtualClock(Date.UTC(2026, 10, 29));
  const context = setupContext({ clock, ...(folder === undefined ? {} : { folder }) });
  const { account, findings } = await setup.examine(whatsappOptions.parse(config), context);
  const told = findings.map(
    ({ state, message, hint }) => `${state}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
  );
  return { account, told };
}
