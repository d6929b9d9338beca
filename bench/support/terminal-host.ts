import { createHost, type Host } from "@hermes/core/embed";
import type { HermesMachine } from "../../e2e/support/hermes-process.ts";

/** A terminal's host within this process, on the store of a machine whose gateway is a process of its own. */
export function terminalHost({ environment, folder }: HermesMachine): Promise<Host> {
  return createHost({ role: "terminal", environment, workingDirectory: folder });
}
