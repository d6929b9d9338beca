import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/agent.ts";
import { count } from "../base/text.ts";
import type { FileChange, FileChanges } from "./files/change-file.ts";
import { placeOf } from "./files/place.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  path: z.string().min(1).describe("Relative to the session's directory"),
  content: z.string().describe("The whole content of the file"),
});
type Input = z.output<typeof input>;

/** Writes a whole file below the session's directory. */
export class WriteTool implements Tool<Input> {
  readonly name = "write";
  readonly description =
    "Makes a file, with its folders, or replaces all of one that was read before. Use `edit` to change a part of a file.";
  readonly input = input;
  readonly effect = "writes";
  readonly #changes: FileChanges;

  constructor(changes: FileChanges) {
    this.#changes = changes;
  }

  summary({ path, content }: Input): string {
    return `${seenLine(path)} (${count(content.replace(/\n$/, "").split("\n").length, "line")})`;
  }

  subjects({ path }: Input, where: ToolContext): readonly string[] {
    return [placeOf(path, where).real];
  }

  detail(call: Input, where: ToolContext): string {
    return this.#plan(call, where).diff.text;
  }

  async run(call: Input, where: ToolContext): Promise<ToolResult> {
    const change = this.#plan(call, where);
    this.#changes.carryOut(change, where);
    return { text: `${change.found === null ? "Made" : "Replaced"} ${change.diff.summary}.` };
  }

  #plan({ path, content }: Input, where: ToolContext): FileChange {
    return this.#changes.plan(path, where, () => content, { mustBeRead: true });
  }
}
