import type { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { tokensIn } from "../marks.ts";

/** The messages whose answers `hermes deliveries` lists as not delivered. */
export async function listedTokens(machine: HermesMachine): Promise<ReadonlySet<string>> {
  const { code, stdout } = await machine.run("deliveries", "list", "--json");
  return new Set(code === 0 ? tokensIn(stdout) : []);
}
