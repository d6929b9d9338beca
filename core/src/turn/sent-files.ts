import type { OutboundFile } from "../adapter/message.ts";
import type { SentFile } from "../base/file-ref.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Visibility } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";

/** The files that calls of a turn sent, of the messages behind `after`. */
export async function filesSentBy(
  { transcripts }: Pick<Store, "transcripts">,
  { id, sessionId }: Pick<Turn, "id" | "sessionId">,
  after: number,
): Promise<{ readonly files: readonly SentFile[]; readonly upTo: number }> {
  const rows = (await transcripts.read(sessionId, { after })).filter((row) => row.turnId === id && isSending(row));
  return { files: rows.flatMap(({ files = [] }) => files), upTo: rows.at(-1)?.seq ?? after };
}

function isSending({ role, files = [] }: TranscriptMessage): boolean {
  return role === "tool" && files.length > 0;
}

/**
 * The files that may go out at a place. Where others read everything is asked, so that what was sent where nobody else did,
 * or in another chat, stays with whoever asked for it there.
 */
export function filesFor(visible: Visibility, files: readonly SentFile[]): readonly SentFile[] {
  return visible.kind === "all"
    ? files
    : files.filter(({ sentIn }) => visible.kind === "of-chat" && sentIn === visible.chat);
}

/** What is said of a file that does not go out for that reason, as Markdown. */
export function staysPrivate({ name }: SentFile): string {
  return `📎 **${escapeMarkdown(name)}** is not sent: others read this chat, and it was asked for elsewhere. Ask for it here.`;
}

/** Files as they go out. `machine`: where they lie besides; null where others read that. */
export function outboundFiles(files: readonly SentFile[], machine: string | null): OutboundFile[] {
  return files.map(({ sentFrom: path, sentIn: _, ...file }) =>
    path === undefined || machine === null ? file : { ...file, origin: { path, machine } },
  );
}
