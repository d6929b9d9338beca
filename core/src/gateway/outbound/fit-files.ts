import { decodeText, isTextFile } from "../../adapter/attachments.ts";
import type { Capabilities } from "../../adapter/capabilities.ts";
import type { OutboundFile } from "../../adapter/message.ts";
import { sizeText } from "../../base/text.ts";
import { safeFileName } from "../../files/file-name.ts";
import type { Files } from "../../files/files.ts";
import { codeSpan, escapeMarkdown } from "../../markdown/escape-markdown.ts";
import { fenced } from "../../markdown/fence.ts";

/** What of a message's files a platform sends, and what stands for the others. */
export interface FittedFiles {
  readonly sent: readonly OutboundFile[];
  /** Markdown; empty where all are sent. */
  readonly told: string;
}

/** Where a platform takes no files, texts are read in the message; of every other file a line says where it is. */
export async function fitFiles(
  kept: Pick<Files, "read">,
  { files: limit }: Pick<Capabilities, "files">,
  files: readonly OutboundFile[],
): Promise<FittedFiles> {
  const fits = ({ size }: OutboundFile) => limit !== false && size <= limit.largest;
  const told: string[] = [];
  for (const file of files.filter((one) => !fits(one))) {
    const text = limit === false ? await textOf(kept, file) : null;
    told.push(
      text === null ? staysLine(file, limit) : [headOf(file), fenced(text)].filter((part) => part !== "").join("\n\n"),
    );
  }
  const named = (file: OutboundFile) => ({ ...file, name: safeFileName(file.name) });
  return { sent: files.filter(fits).map(named), told: told.join("\n\n") };
}

async function textOf(kept: Pick<Files, "read">, file: OutboundFile): Promise<string | null> {
  if (file.text !== undefined) return file.text;
  if (!isTextFile(file)) return null;
  const { hash = "", size } = file;
  // One that cannot be read holds up nothing: a line says where it is.
  const content = await kept.read({ hash, size }).catch(() => null);
  return content && decodeText(content);
}

function headOf({ name, caption = "" }: OutboundFile): string {
  return `**${escapeMarkdown(name)}**${caption === "" ? "" : `: ${escapeMarkdown(caption)}`}`;
}

function staysLine(file: OutboundFile, limit: Capabilities["files"]): string {
  const { size, origin } = file;
  const why =
    limit === false ? "no files can be sent here" : `files of up to ${sizeText(limit.largest)} can be sent here`;
  const where = origin === undefined ? "" : ` It is ${codeSpan(origin.path)} on ${escapeMarkdown(origin.machine)}.`;
  return `📎 ${headOf(file)} (${sizeText(size)}) is not sent: ${why}.${where}`;
}
