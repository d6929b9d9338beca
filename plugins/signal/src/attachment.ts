import type { OutboundFile } from "@hermes/core";
import { rejected } from "./errors.ts";

/**
 * The longest text in a call that signal-cli's JSON parser takes, in characters: an attachment is one text, as the daemon
 * may run on another machine ("StreamReadConstraints.getMaxStringLength()", since 0.12). Signal itself takes 100 MB.
 */
const LONGEST_URI = 20_000_000;

/** Bytes of the largest file that fits into such a text in base64, with room for its name. */
export const LARGEST_FILE = 14_990_000;

/**
 * A file as signal-cli takes it: "data:<MIME-TYPE>;filename=<FILENAME>;base64,<DATA>" (signal-cli(1), send). Parameters
 * are URL-encoded there ("DataURI"), so a name may hold any signs. Throws PLATFORM_REJECTED for one that is too large.
 */
export function attachmentOf(file: OutboundFile, content: Uint8Array): string {
  const [mediaType = ""] = file.mediaType.split(";", 1);
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : "application/octet-stream";
  const head = `data:${type};filename=${encodeURIComponent(fileNameOf(file))};base64,`;
  if (head.length + Math.ceil(content.length / 3) * 4 > LONGEST_URI) {
    throw rejected("signal-cli takes no file of this size in a call", "Send a smaller one, or a link to it.");
  }
  return head + Buffer.from(content).toString("base64");
}

/** The name that people see: without what leads into folders, and without signs that cannot be seen. */
export function fileNameOf({ name }: OutboundFile): string {
  return name.toWellFormed().replaceAll(/[\p{Cc}\\/]/gu, "_") || "file";
}
