import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlatformOptions } from "@hermes/core";
import type { Holder, Host, HostOptions } from "@hermes/core/embed";
import { type BrokenPlugin, Gateway } from "@hermes/core/internal";
import { LoopbackPlatform } from "./loopback-platform.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted-model.ts";
import { createTestHost } from "./test-host.ts";
import { createVirtualClock } from "./virtual-clock.ts";

export { LoopbackPlatform } from "./loopback-platform.ts";
export { terminalSession } from "./terminal-session.ts";

const disposals: (() => Promise<void>)[] = [];

/** Ends everything that a test's machines have started. Call it after each test. */
export async function disposeMachines(): Promise<void> {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
}

/** Gateways of one machine, on one store and one loopback platform, with a clock that the test advances. */
export function machine(
  options: Partial<PlatformOptions> = {},
  script: ScriptedAnswer[] = [],
  brokenPlugins: readonly BrokenPlugin[] = [],
  /** Registers parts that replace Hermes' own, in each process. */
  override?: HostOptions["override"],
) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-gateway-"));
  const clock = createVirtualClock();
  const platform = new LoopbackPlatform();
  const model = scriptedModel(script, { clock, otherwise: () => "An answer." });
  const gone = new Set<string>();
  let processes = 0;
  disposals.push(async () => rmSync(folder, { recursive: true, force: true }));

  const host = async (role: Holder["role"]): Promise<Host> => {
    const written = {
      homeChannel: { chatId: "home", name: "Home" },
      ...{ allowedUsers: [], operators: [], allowedBots: [], requireMention: true, sessionPerUser: false },
      ...options,
    };
    const plugin = { descriptor: platform.plugin(), options: written };
    const made = await createTestHost({
      ...{ role, number: ++processes, folder, clock, agent: model, plugin, brokenPlugins, gone, override },
      logLevel: "error",
    });
    disposals.push(async () => made[Symbol.asyncDispose]());
    return made;
  };

  platform.writtenAt = () => clock.now();
  return {
    clock,
    platform,
    model,
    terminal: () => host("terminal"),
    async gateway() {
      const on = await host("gateway");
      const gateway = new Gateway(on);
      await gateway.start();
      let isOver = false;
      const end = async () => {
        if (isOver) return;
        isOver = true;
        await gateway[Symbol.asyncDispose]();
      };
      disposals.push(end);
      return {
        host: on,
        gateway,
        end,
        /** Kills the process: none of its code continues, and nothing is cleaned up. */
        die() {
          isOver = true;
          gone.add(on.holder.id);
          void on.store.close();
        },
      };
    },
    /** Advances the clock in small steps until `isSo` returns true. */
    async until(isSo: () => boolean | Promise<boolean>) {
      // What runs first in a process is loaded meanwhile, which takes no turns of the clock.
      const startedAt = performance.now();
      for (let i = 0; i < 2_000 || performance.now() - startedAt < LEAST_WAIT_MS; i++) {
        if (await isSo()) return;
        await new Promise((resolve) => setImmediate(resolve));
        await clock.advance(i % 20 === 19 ? 100 : 0);
      }
      throw new Error("it never came about");
    },
  };
}

/** Real milliseconds for which something is waited for at least. */
const LEAST_WAIT_MS = 10_000;
