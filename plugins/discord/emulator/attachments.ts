import type { EmulatedFile, UploadedFile } from "@hermes/emulator";
import { refusal } from "./refusal.ts";
import type { ChannelRecord, FileRecord, World } from "./world.ts";

const MIB = 1024 * 1024;

/** The largest file by a server's boost level, in bytes; elsewhere it is that of level 0 ("Uploading Files"). */
const LARGEST_BY_LEVEL = [20 * MIB, 20 * MIB, 50 * MIB, 100 * MIB] as const;

/** No upload anywhere is larger, with what stands around its file. */
export const LARGEST_BODY = LARGEST_BY_LEVEL[3] + MIB;

/** What the API takes of a file besides its content ("Attachment Request Structure"). */
interface AttachmentRequest {
  readonly id?: unknown;
  readonly filename?: unknown;
  readonly title?: unknown;
}

/** The files of a message as Discord keeps them. Throws what it refuses. */
export function keptFiles(
  world: World,
  channel: ChannelRecord,
  files: readonly UploadedFile[],
  requests: unknown,
): FileRecord[] {
  const largest = LARGEST_BY_LEVEL[channel.guildId === null ? 0 : world.boostLevel] ?? LARGEST_BY_LEVEL[0];
  if (files.some(({ content }) => content.length > largest)) throw refusal(40005);
  return files.map(({ field, name: uploaded, mediaType, content }) => {
    const number = /^files\[(\d+)\]$/.exec(field)?.[1];
    const about = (Array.isArray(requests) ? (requests as AttachmentRequest[]) : []).find(
      ({ id }) => String(id) === number,
    );
    const wanted = typeof about?.filename === "string" ? about.filename : uploaded;
    const kept = keptFile(world, { name: wanted, mediaType, content });
    return typeof about?.title === "string" ? { ...kept, title: about.title } : kept;
  });
}

/** A file that somebody uploads under a name, which only apps show as it is. */
export function keptFile(world: World, file: Pick<FileRecord, "name" | "mediaType" | "content">): FileRecord {
  const name = cleansed(file.name);
  return { ...file, id: world.nextId(), name, title: name === file.name ? null : stemOf(file.name) };
}

/** Discord keeps ASCII letters, digits, underscores, dashes and dots, and no dots and underscores at the ends. */
function cleansed(name: string): string {
  const kept = name
    .normalize("NFKD")
    .replaceAll(/[^\x20-\x7e]/g, "")
    .replaceAll(/[/\\]/g, " ")
    .trim()
    .replaceAll(/\s+/g, "_")
    .replaceAll(/[^\w.-]/g, "")
    .replace(/^[._]+/, "")
    .replace(/[._]+$/, "");
  return stemOf(name) !== "" && kept === endingOf(name).slice(1) ? `unknown${endingOf(name)}` : kept || "unknown";
}

/** A file as people see it: apps put the ending of the name behind the title. */
export function shownFile({ name, title, mediaType, content }: FileRecord): EmulatedFile {
  const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType);
  return { name: title === null ? name : title + endingOf(name), mediaType, content, ...(isPicture && { isPicture }) };
}

function endingOf(name: string): string {
  return /(?<=.)\.[^.]*$/.exec(name)?.[0] ?? "";
}

function stemOf(name: string): string {
  return name.slice(0, name.length - endingOf(name).length);
}
