import { realpathSync } from "node:fs";
import type { FileRef } from "../../base/file-ref.ts";
import { oneLine } from "../../base/one-line.ts";
import { pathsInLine } from "../../files/paths-in-line.ts";
import { readNamedFile } from "../../files/read-named.ts";
import type { Host } from "../../host/host.ts";
import { mark } from "../../model/mark.ts";
import type { Session } from "../../model/session.ts";
import { judgeCall } from "../../permissions/judge-call.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";

/** The most pictures and PDFs that a message brings along. */
const MOST_FILES = 10;

/** The pictures and PDFs that a message brings along. */
export interface MentionedFiles {
  readonly files: readonly FileRef[];
  /** Their marks, which stand behind the message. */
  readonly text: string;
  /** What is said to the person. */
  readonly notes: readonly string[];
  /** The real paths of those that were dealt with. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Reads the pictures and PDFs that a message names, by `@path` or as they were dropped into the terminal. They may lie
 * anywhere, since it is the person who names them; only what a rule denies stays unread.
 */
export async function readNamedFiles(host: Host, session: Session, text: string): Promise<MentionedFiles> {
  const policy = host.container.resolve(TOOL_POLICY);
  const found = pathsInLine(text, policy.directoryOf(session));
  const files: FileRef[] = [];
  const notes: string[] = [];
  const paths = new Set<string>();
  for (const { path, hasEnding } of found) {
    const real = realPath(path);
    if (real === null || paths.has(real)) continue;
    const shown = oneLine(path);
    const context = await policy.contextOf(session, { surface: "terminal", author: "terminal" });
    const verdict = await judgeCall({ tool: "read", effect: "reads", subjects: [real] }, context);
    const denied = verdict.decision === "deny" ? ({ state: "refused", why: verdict.why } as const) : null;
    const named = denied ?? (files.length >= MOST_FILES ? TOO_MANY : await readNamedFile(real, host.files));
    // Without such an ending it may be a text, which is read as one.
    if (named.state === "other" || (named.state === "refused" && !hasEnding)) continue;
    paths.add(real);
    if (named.state === "refused") notes.push(`${shown} is only named: ${named.why}.`);
    else {
      files.push(named.file);
      notes.push(`Attached ${named.file.name} (${named.file.mediaType}, ${sizeText(named.file.size)}).`);
    }
  }
  const marks = files.map(({ name, mediaType, size }) => {
    return `\n${mark(`attached: ${JSON.stringify(name)}, ${mediaType}, ${size} bytes`)}`;
  });
  return { files, text: marks.join(""), notes, paths };
}

const TOO_MANY = { state: "refused", why: "the message has too many attachments already" } as const;

/** The path with all links followed; null where nothing is there. */
export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
