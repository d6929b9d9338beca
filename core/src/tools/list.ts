import { join } from "node:path";
import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/agent.ts";
import { checkedPath } from "./files/checked-path.ts";
import { JudgedFiles } from "./files/judged-files.ts";
import { type Entry, walk } from "./files/walk.ts";
import { seenLine } from "./seen-line.ts";

const MOST = 2000;

const input = z.object({
  path: z.string().min(1).default(".").describe("A folder, relative to the session's directory"),
  depth: z.int().min(1).max(8).default(1).describe("How many levels of folders to list"),
});
type Input = z.output<typeof input>;

/** Lists what is in a folder. */
export class ListTool implements Tool<Input> {
  readonly name = "list";
  readonly description = "Lists a folder, ignored files too; what .gitignore names is marked, and not entered.";
  readonly input = input;
  readonly effect = "reads";
  readonly #isSkipped: (path: string) => boolean;
  readonly #judged = new JudgedFiles<Input>();

  /** `isSkipped` says of a real path that it is left out. */
  constructor(isSkipped: (path: string) => boolean) {
    this.#isSkipped = isSkipped;
  }

  summary({ path }: Input): string {
    return seenLine(path);
  }

  subjects(input: Input, where: ToolContext): readonly string[] {
    return [this.#judged.note(input, checkedPath(input.path, where))];
  }

  async run(input: Input, where: ToolContext): Promise<ToolResult> {
    const { path, depth } = input;
    const place = checkedPath(path, where);
    this.#judged.check(input, place);
    const lines: string[] = [];
    const isSkipped = (way: string) => this.#isSkipped(join(place.root, way));
    for await (const entry of walk(place, { depth, signal: where.signal, isSkipped })) {
      if (lines.length === MOST) {
        lines.push(`[more than ${MOST} entries: the rest is left out]`);
        break;
      }
      lines.push(lineOf(entry));
    }
    return { text: lines.length === 0 ? `${path} is an empty folder.` : lines.join("\n") };
  }
}

function lineOf({ way, kind, isIgnored }: Entry): string {
  const sign = kind === "folder" ? "/" : "";
  const note = [kind === "link" ? "link" : "", kind === "other" ? "no file" : "", isIgnored ? "ignored" : ""];
  const notes = note.filter((one) => one !== "").join(", ");
  return `${way}${sign}${notes === "" ? "" : ` (${notes})`}`;
}
