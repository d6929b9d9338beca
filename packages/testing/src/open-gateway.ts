import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PluginDescriptor, platformOptions, systemClock, z } from "@hermes/core";
import type { Agent, Host, LoadedConfig } from "@hermes/core/embed";
import { createTestHost } from "./test-host.ts";

/** A gateway within this process that serves one plugin, with a store of its own, for tests of what people see of it. */
export interface TestGateway extends AsyncDisposable {
  readonly host: Host;
  /** Hermes' home. */
  readonly folder: string;
  /** A terminal on the same store; it ends with the gateway. */
  terminal(): Promise<Host>;
}

/** Starts a gateway that serves a plugin. `agent`: what answers, such as a scripted model. `known`: facts of models. */
export async function openGateway(
  descriptor: PluginDescriptor,
  { agent, known = {} }: { readonly agent: Agent; readonly known?: LoadedConfig["models"]["known"] },
): Promise<TestGateway> {
  const { Gateway } = await import("@hermes/core/internal");
  const folder = mkdtempSync(join(tmpdir(), "hermes-served-"));
  const checked = await descriptor.schema["~standard"].validate(descriptor.options);
  if (checked.issues) throw new Error(`the plugin's schema refuses its options: ${JSON.stringify(checked.issues)}`);
  const options = z.looseObject(platformOptions).parse({ ...Object(descriptor.options), ...Object(checked.value) });
  const undo: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  let processes = 0;
  const hostOf = async (role: "gateway" | "terminal") => {
    const host = await createTestHost({
      ...{ role, number: ++processes, folder, clock: systemClock, agent, plugin: { descriptor, options } },
      ...{ gone: new Set<string>(), logLevel: "error", models: { fallback: [], known } },
    });
    undo.push(async () => host[Symbol.asyncDispose]());
    return host;
  };
  const host = await hostOf("gateway");
  const gateway = new Gateway(host);
  undo.push(async () => gateway[Symbol.asyncDispose]());
  await gateway.start();
  return {
    ...{ host, folder },
    terminal: () => hostOf("terminal"),
    async [Symbol.asyncDispose]() {
      for (const step of undo.splice(0).reverse()) await step();
    },
  };
}
