import { pathToFileURL } from "node:url";
import type { SentFile } from "../../base/file-ref.ts";
import { sizeText } from "../../base/text.ts";
import type { Output } from "../../terminal/output.ts";
import { type Styled, styled } from "../../terminal/styled.ts";
import type { TurnEvent } from "../../turn/turn-runner.ts";

/** Says which files a call has sent, and where they lie. */
export function noteSentFiles(output: Output, files: readonly SentFile[] = []): void {
  for (const { name, size, sentFrom: path, caption = "" } of files) {
    const what = styled`📎 ${output.colors.bold(name)} (${sizeText(size)})`;
    const where = path === undefined ? "" : styled`  ${linkTo(output, path)}`;
    output.note(styled`${what}${where}${caption === "" ? "" : `  ${caption}`}`);
  }
}

/** A path that a terminal opens (OSC 8), where it is drawn on. */
function linkTo({ io, colors }: Output, path: string): Styled {
  const { href } = pathToFileURL(path);
  const shown = colors.dim(path);
  return io.draws ? shown.in((text) => `\x1b]8;;${href}\x1b\\${text}\x1b]8;;\x1b\\`) : shown;
}

/** Collects the files that the calls of a turn send, as `--json` prints them. */
export function collectSentFiles(): {
  readonly onEvent: (event: TurnEvent) => void;
  readonly document: () => { readonly files?: readonly object[] };
} {
  const files: object[] = [];
  return {
    onEvent(event) {
      if (event.type !== "tool-result") return;
      for (const { name, mediaType, size, sentFrom: path, caption } of event.files ?? []) {
        files.push({ name, mediaType, size, path: path ?? null, ...(caption !== undefined && { caption }) });
      }
    },
    document: () => (files.length === 0 ? {} : { files }),
  };
}
