import { z } from "zod";
import type { ToolContext } from "../agent/agent.ts";
import { count } from "../base/text.ts";
import { ChangeTool } from "./change-tool.ts";
import type { FileChange } from "./files/change-file.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  path: z.string().min(1).describe("Relative to the session's directory"),
  content: z.string().describe("The whole content of the file"),
});
type Input = z.output<typeof input>;

/** Writes a whole file below the session's directory. */
export class WriteTool extends ChangeTool<Input> {
  readonly name = "write";
  readonly description =
    "Makes a file, with its folders, or replaces all of one that was read before. Use `edit` to change a part of a file.";
  readonly input = input;

  summary({ path, content }: Input): string {
    return `${seenLine(path)} (${count(content.replace(/\n$/, "").split("\n").length, "line")})`;
  }

  protected resultOf({ found, diff }: FileChange): string {
    return `${found === null ? "Made" : "Replaced"} ${diff.summary}.`;
  }

  protected plan({ path, content }: Input, where: ToolContext): FileChange {
    return this.changes.plan(path, where, () => content, { mustBeRead: true });
  }
}
