import type { OutboundFile } from "../adapter/message.ts";
import type { SentFile } from "../base/file-ref.ts";
import { type Holder, machineOf } from "../base/process-identity.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Visibility } from "../model/session.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import type { StartedTurn } from "./turn-writer.ts";

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
 * What goes out at a place, and what is said there of the rest. Where others read everything is asked, so that what was sent
 * where nobody else did, or in another chat, stays with whoever asked for it there. `host` is where the files lie besides.
 */
export function filesFor(
  visible: Visibility,
  files: readonly SentFile[],
  host: Holder,
): { readonly files: readonly OutboundFile[]; readonly staying: readonly string[] } {
  const isGoing = ({ sentIn }: SentFile) =>
    visible.kind === "all" || (visible.kind === "of-chat" && sentIn === visible.chat);
  const machine = visible.kind === "all" ? machineOf(host) : null;
  return {
    files: files.filter(isGoing).map((file) => outboundFile(file, machine)),
    staying: files.filter((file) => !isGoing(file)).map(staysPrivate),
  };
}

/** What is said of a file that does not go out for that reason, as Markdown. */
function staysPrivate({ name }: SentFile): string {
  return `📎 **${escapeMarkdown(name)}** is not sent: others read this chat, and it was asked for elsewhere. Ask for it here.`;
}

/** `machine`: where the file lies besides; null where others read that. */
function outboundFile({ sentFrom: path, sentIn: _, ...file }: SentFile, machine: string | null): OutboundFile {
  return path === undefined || machine === null ? file : { ...file, origin: { path, machine } };
}

/** Files that a turn takes along, and the seq of the last message that sent one. */
export interface FilesToSay {
  readonly files: readonly OutboundFile[];
  readonly upTo: number;
}

export const NO_FILES: FilesToSay = { files: [], upTo: 0 };

export function takesFiles(outbox: readonly NewOutboxEntry[]): boolean {
  return outbox.some(({ message }) => message.files !== undefined && message.files.length > 0);
}

/** The files that the calls of a turn send. */
export class SentFiles {
  readonly #parts: Pick<LeasedTurns, "store" | "policy" | "holder">;
  readonly #granted: StartedTurn;
  readonly #tell: (markdown: string) => void;
  #mayBeSome: boolean;

  /** `tell` is told of files that stay. `mayBeSome`: only the transcript tells what an earlier holder of the turn did. */
  constructor(
    parts: Pick<LeasedTurns, "store" | "policy" | "holder">,
    granted: StartedTurn,
    { tell, mayBeSome }: { readonly tell: (markdown: string) => void; readonly mayBeSome: boolean },
  ) {
    this.#parts = parts;
    this.#granted = granted;
    this.#tell = tell;
    this.#mayBeSome = mayBeSome;
  }

  /** Takes what a call has sent. */
  note({ files = [] }: { readonly files?: readonly SentFile[] | undefined }): void {
    this.#mayBeSome ||= files.length > 0;
  }

  /** Those that nothing has taken along which the turn has said at its place. */
  async toSay(): Promise<FilesToSay> {
    if (!this.#mayBeSome) return NO_FILES;
    const { store, policy, holder } = this.#parts;
    const { turn, message } = this.#granted;
    const { files: sent, upTo } = await filesSentBy(store, turn, Math.max(turn.filesUpTo, message.seq));
    if (sent.length === 0) return NO_FILES;
    const { files, staying } = filesFor(await policy.visibilityOf(turn), sent, holder);
    for (const line of staying) this.#tell(line);
    return { files, upTo };
  }
}
