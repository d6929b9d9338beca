import type { Tool } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { asHermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { inTime } from "../config/in-time.ts";
import { runAs } from "../plugin/plugin-context.ts";
import { type ConfiguredTools, createTools, type PluginTool } from "../plugin/tools-plugin.ts";

/** The tools of Hermes, and behind them those of its plugins. A plugin that fails is left out, and the log says so. */
export async function withPluginTools(
  own: readonly Tool[],
  plugins: readonly ConfiguredTools[],
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<readonly Tool[]> {
  const tools = [...own];
  for (const plugin of plugins) {
    const log = logger.child({ plugin: plugin.descriptor.package });
    // An error in its own timers is its own, too.
    const owner = { fail: (error: unknown) => log.error({ error }, "a plugin of tools failed") };
    try {
      const taken = new Set(tools.map(({ name }) => name));
      const made = await inTime(
        clock,
        runAs(owner, () => createTools(plugin, { clock, logger: log }, taken)),
      );
      tools.push(...made.map((tool) => toTool(tool, owner)));
    } catch (error) {
      log.error({ error: asHermesError(error) }, "the tools of a plugin cannot be used");
    }
  }
  return tools;
}

function toTool(tool: PluginTool, owner: Parameters<typeof runAs>[0]): Tool {
  const { name, description, input, effect } = tool;
  return {
    ...{ name, description, input, effect },
    summary: (given) => summaryOf(tool, given),
    subjects: (given) => tool.subjects?.(given) ?? [],
    run: async (given, { directory, signal }) => ({
      text: String(await runAs(owner, () => tool.run(given, { directory, signal }))),
    }),
  };
}

/** A call is shown without its summary where the plugin fails to make one: it has to stay readable. */
function summaryOf(tool: PluginTool, given: Parameters<PluginTool["summary"]>[0]): string {
  try {
    return String(tool.summary(given) ?? "");
  } catch {
    return "";
  }
}
