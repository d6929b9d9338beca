import type { Tool } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { runWithin } from "../base/deadline.ts";
import { asHermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { shorten } from "../base/shorten.ts";
import { inTime } from "../config/in-time.ts";
import { type ErrorOwner, runAs } from "../plugin/plugin-context.ts";
import { type ConfiguredTools, createTools, type PluginTool } from "../plugin/tools-plugin.ts";

/** How long a call may take unless its tool says so. */
const LIMIT_MS = 10 * 60_000;

/** How much of what a plugin prints at once stands in the log, in UTF-16 units. */
const LONGEST_PRINT = 500;

interface Surroundings {
  readonly home: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The tools of Hermes, and behind them those of its plugins. A plugin that fails is left out, and the log says so. */
export async function withPluginTools(
  own: readonly Tool[],
  plugins: readonly ConfiguredTools[],
  { home, clock, logger }: Surroundings,
): Promise<readonly Tool[]> {
  const tools = [...own];
  for (const plugin of plugins) {
    const log = logger.child({ plugin: plugin.descriptor.package });
    const owner: ErrorOwner = {
      // An error in its own timers is its own, too.
      fail: (error) => log.error({ error }, "a plugin of tools failed"),
      print: (text) =>
        log.info({ text: shorten(text.trimEnd(), LONGEST_PRINT) }, "a plugin of tools printed something"),
    };
    try {
      const taken = new Set(tools.map(({ name }) => name));
      const make = () => createTools(plugin, { home, clock, logger: log, taken });
      const made = await inTime(clock, runAs(owner, make));
      tools.push(...made.map((tool) => toTool(tool, owner, clock)));
    } catch (error) {
      log.error({ error: asHermesError(error) }, "the tools of a plugin cannot be used");
    }
  }
  return tools;
}

function toTool(tool: PluginTool, owner: ErrorOwner, clock: Clock): Tool {
  const { name, description, input, effect, limitMs = LIMIT_MS } = tool;
  const late = () => new Error(`${name} was not done after ${limitMs / 1000} s`);
  return {
    name,
    description,
    input,
    effect,
    summary: (given) => runAs(owner, () => tool.summary(given)),
    subjects: (given) => runAs(owner, () => tool.subjects?.(given) ?? []),
    async run(given, { directory, signal }) {
      const work = (limited: AbortSignal) => runAs(owner, async () => tool.run(given, { directory, signal: limited }));
      return { text: String(await runWithin(clock, limitMs, signal, work, late())) };
    },
  };
}
