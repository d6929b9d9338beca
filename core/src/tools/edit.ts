import { z } from "zod";
import type { ToolContext } from "../agent/agent.ts";
import { count } from "../base/text.ts";
import { ChangeTool } from "./change-tool.ts";
import type { FileChange } from "./files/change-file.ts";
import { changedLines } from "./files/diff-text.ts";
import { seenLine } from "./seen-line.ts";

const input = z.object({
  path: z.string().min(1).describe("Relative to the session's directory"),
  old: z.string().min(1).describe("The exact text to replace, with its indentation and without line numbers"),
  new: z.string().describe("What takes its place"),
  all: z.boolean().default(false).describe("Replace it wherever it stands; otherwise it must stand there once"),
});
type Input = z.output<typeof input>;

/** Replaces a text in a file below the session's directory. */
export class EditTool extends ChangeTool<Input> {
  readonly name = "edit";
  readonly description =
    "Replaces an exact text in a file. The text must stand in it exactly once, unless `all` is set.";
  readonly input = input;

  summary({ path, old, new: replacement, all }: Input): string {
    const { added, removed } = changedLines(old, replacement);
    return `${seenLine(path)} +${added} −${removed}${all ? ", wherever it stands" : ""}`;
  }

  protected resultOf({ diff }: FileChange): string {
    return `Changed ${diff.summary}.\n\n${diff.text}`;
  }

  protected plan({ path, old, new: replacement, all }: Input, where: ToolContext): FileChange {
    if (old === replacement) throw new Error("`old` and `new` are the same. Nothing was written.");
    const change = (text: string | null) => {
      if (text === null) throw new Error(`${path} is not there.`);
      return replaced(text, { old, replacement, all, path });
    };
    return this.changes.plan(path, where, change, { mustBeRead: false });
  }
}

interface Replacement {
  readonly old: string;
  readonly replacement: string;
  readonly all: boolean;
  readonly path: string;
}

function replaced(text: string, { old, replacement, all, path }: Replacement): string {
  // A file with CRLF alone is compared without it, and what the model wrote, too.
  const isPlain = !text.includes("\r");
  const wanted = isPlain ? old.replaceAll("\r\n", "\n") : old;
  const parts = text.split(wanted);
  const times = parts.length - 1;
  if (times === 0) throw new Error(`\`old\` does not stand in ${path}. Nothing was written: read the file again.`);
  if (times > 1 && !all) {
    throw new Error(`\`old\` stands in ${path} ${count(times, "time")}. Nothing was written: add lines around it.`);
  }
  return parts.join(isPlain ? replacement.replaceAll("\r\n", "\n") : replacement);
}
