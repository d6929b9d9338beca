import type { OutboundFile } from "../adapter/message.ts";
import type { SentFile } from "../base/file-ref.ts";
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

/** Files as they go out. `machine`: where they lie besides; null where others read that. */
export function outboundFiles(files: readonly SentFile[], machine: string | null): OutboundFile[] {
  return files.map(({ sentFrom: path, ...file }) =>
    path === undefined || machine === null ? file : { ...file, origin: { path, machine } },
  );
}
