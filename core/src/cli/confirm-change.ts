import { relative } from "node:path";
import { withNumbers } from "../base/hidden-text.ts";
import { count } from "../base/text.ts";
import type { ChangedLine, ContentChange } from "../config/content-changes.ts";
import { isEnvFile, withoutValues } from "../config/env-file.ts";
import type { ConfirmChange } from "../config/settle-change.ts";
import type { FolderChange } from "../config/trusted-folders.ts";
import type { Output } from "../terminal/output.ts";
import { styled } from "../terminal/styled.ts";
import { canAsk, confirm } from "./confirm.ts";

/** Shows the difference and asks, default no; undefined where nobody sits at the terminal. */
export function confirmChangeOn(output: Output): ConfirmChange | undefined {
  if (!canAsk(output)) return undefined;
  return (change) => {
    printFolderChange(output, change);
    return confirm(output, "Its config is code that runs as you. Trust it as it stands now?");
  };
}

/** Shows how a trusted folder differs from what was trusted. */
export function printFolderChange(output: Output, { folder, files, isFirst }: FolderChange): void {
  const since = isFirst ? "was trusted, and from now on Hermes keeps as what" : "is not as it was trusted";
  output.line(styled`${output.colors.bold(folder)} ${since}:`);
  for (const file of files) printFile(output, folder, file);
}

function printFile(output: Output, folder: string, { place, kind, lines }: ContentChange): void {
  const { bold } = output.colors;
  output.line(styled`\n${bold(withNumbers(relative(folder, place)))} ${kind === "changed" ? "changed" : `is ${kind}`}`);
  for (const line of lines) {
    printLine(output, isEnvFile(place) && "text" in line ? { ...line, text: withoutValues(line.text) } : line);
  }
}

/** Shows hidden characters by their code points. */
function printLine(output: Output, line: ChangedLine): void {
  const { green, red } = output.colors;
  if ("gone" in line) output.line(red(`       − ${count(line.gone, "line")}`));
  else output.line(green(`${String(line.at).padStart(6)} + ${withNumbers(line.text)}`));
}
