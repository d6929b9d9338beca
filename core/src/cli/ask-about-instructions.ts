import { relative } from "node:path";
import { count } from "../base/text.ts";
import { folderInstructions } from "../config/folder-instructions.ts";
import { changeOfInstructions, trustInstructions } from "../config/trusted-folders.ts";
import type { Host } from "../host/host.ts";
import type { Output } from "../terminal/output.ts";
import { canAsk, confirm } from "./confirm.ts";
import { printFolderChange } from "./confirm-change.ts";

/**
 * Says which instructions the agent gets in a folder, and which it does not. Of those that changed since they were trusted
 * a person is shown the difference, and asked.
 */
export async function askAboutInstructions(output: Output, { home }: Host, folder: string): Promise<void> {
  if (!canAsk(output)) return;
  for (const { file, folder: at, why } of folderInstructions(home, folder).leftOut) {
    const name = relative(folder, file);
    if (why === "untrusted") {
      output.note(
        `${name} is left out: its folder is not trusted with it. \`hermes trust ${relative(folder, at) || "."}\` has the agent read it.`,
      );
      continue;
    }
    const change = changeOfInstructions(home, at, file);
    printFolderChange(output, change);
    const isTrusted = await confirm(output, "The agent does what it says. Use it as it stands now?");
    if (isTrusted) trustInstructions(home, at, file, change.contents.get(file) ?? null);
    else output.note(`${name} is left out.`);
  }
  const { used } = folderInstructions(home, folder);
  if (used.length === 0) return;
  const names = used.map(({ file }) => relative(folder, file)).join(", ");
  const size = used.reduce((sum, { text }) => sum + text.length, 0);
  output.note(`The agent works by ${names} (${count(size, "character")}).`);
}
