import type { Tool } from "../agent/agent.ts";
import { shortenResult } from "../agent/shorten-result.ts";
import { EditTool } from "./edit.ts";
import { FileChanges } from "./files/change-file.ts";
import { KnownFiles } from "./files/known-files.ts";
import { ListTool } from "./list.ts";
import { outputFileOf } from "./outputs.ts";
import { ReadTool } from "./read.ts";
import { SearchTool } from "./search/search.ts";
import { todoTool } from "./todo.ts";
import { WriteTool } from "./write.ts";

export interface WorkspaceToolsOptions {
  /** Hermes' home, in whose folder `outputs` long results and the old content of files are kept. */
  readonly home: string;
  /** The program that searches; where it is missing, Hermes searches by itself. `rg` by default. */
  readonly ripgrep?: string;
  /** Which files, by their real paths, `list` and `search` leave out of a folder: those that no rule lets be read. */
  readonly isSkipped?: (path: string) => boolean;
}

/**
 * Makes the tools that work in a session's directory: `read`, `write`, `edit`, `list`, `search`
 * and `todo`.
 *
 * Whoever registers them behind `TOOLS` has their calls run at once: nothing asks before a call runs there. Before a file
 * is written to, its old content is kept beside the results.
 *
 * @example
 * ```ts
 * const override = (container: DependencyContainer) =>
 *   container.registerInstance(TOOLS, workspaceTools({ home: hermesHome() }));
 * await using host = await createHost({ role: "terminal", override });
 * ```
 */
export function workspaceTools({
  home,
  ripgrep = "rg",
  isSkipped = () => false,
}: WorkspaceToolsOptions): readonly Tool[] {
  const known = new KnownFiles();
  const changes = new FileChanges(home, known);
  const tools = [
    ...[new ReadTool(home, known), new ListTool(isSkipped), new SearchTool(ripgrep, isSkipped)],
    ...[new WriteTool(changes), new EditTool(changes), todoTool],
  ];
  return tools.map((tool) => shortened(tool as Tool, home));
}

/** A tool whose long results are shortened, and kept. */
function shortened(tool: Tool, home: string): Tool {
  return {
    ...{ name: tool.name, description: tool.description, input: tool.input, effect: tool.effect },
    summary: (input) => tool.summary(input),
    subjects: (input, where) => tool.subjects(input, where),
    ...(tool.detail && { detail: (input, where) => tool.detail?.(input, where) ?? "" }),
    run: async (input, where) => {
      const { text } = await tool.run(input, where);
      return { text: shortenResult(text, outputFileOf(home, where)) };
    },
  };
}
