import { setImmediate } from "node:timers/promises";
import type { PlatformAdapter, SendOptions } from "../../adapter/adapter.ts";
import type { OutboundMessage, Piece, SendReceipt } from "../../adapter/message.ts";
import { renderMessage } from "../../adapter/render-message.ts";
import type { Clock } from "../../base/clock.ts";
import { untilAborted } from "../../base/deadline.ts";
import { PlatformError } from "../../base/errors.ts";
import type { Files } from "../../files/files.ts";
import { splitText } from "../../markdown/split-text.ts";
import type { OutboxRow } from "../../model/outbox.ts";
import { fitFiles } from "./fit-files.ts";

/** Timeout in milliseconds for one call of a platform. */
const SEND_DEADLINE_MS = 60_000;

/** The slowest upload that is waited for, in bytes a millisecond. */
const SLOWEST = 100;

/** What a message is sent as. A long one is formatted section by section, and the process sees to others in between. */
export async function piecesOf(
  adapter: PlatformAdapter,
  kept: Pick<Files, "read">,
  message: OutboundMessage,
): Promise<readonly [Piece, ...Piece[]]> {
  const { files = [], ...words } = message;
  const { sent, told } = await fitFiles(kept, adapter.capabilities, files);
  const said = withFittingChoices(adapter, sent.length > 0 ? { ...words, files: sent } : words);
  const rendered = await renderedInSteps(adapter, said);
  // A message of its own: the words may stand there whole already, as a draft.
  if (told !== "") rendered.push(...(await renderedInSteps(adapter, { kind: message.kind, markdown: told })));
  // A text of nothing but marks renders to nothing; it is sent as it stands.
  const { textLimit } = adapter.capabilities;
  const pieces = rendered.length > 0 ? rendered : splitText(message.markdown, textLimit).map((text) => ({ text }));
  const [first = { text: message.markdown }, ...others] = pieces;
  return [first, ...others];
}

async function renderedInSteps(adapter: PlatformAdapter, message: OutboundMessage): Promise<Piece[]> {
  const rendered: Piece[] = [];
  for (const pieces of renderMessage(adapter, message)) {
    if (rendered.length > 0) await setImmediate();
    rendered.push(...pieces);
  }
  return rendered;
}

/**
 * Sends a piece, or makes it the last edit of the message that grew into it. Throws what the adapter throws, and
 * PLATFORM_UNCERTAIN where it gives no answer in time.
 */
export async function sendRow(
  { adapter, clock }: { readonly adapter: PlatformAdapter; readonly clock: Clock },
  row: OutboxRow,
  { piece, content }: FilledPiece,
): Promise<SendReceipt> {
  const deadline = new AbortController();
  using _timer = clock.setTimer(SEND_DEADLINE_MS + (content?.length ?? 0) / SLOWEST, () => deadline.abort());
  const { signal } = deadline;
  const { sendKey: key = row.id, sessionId, turnId } = row;
  const about = { sessionId: sessionId ?? undefined, turnId: turnId ?? undefined };
  const file = content === undefined ? {} : { content };
  const sending = sendOrEdit(adapter, row, piece, { key, ...about, ...file, signal });
  const fields = { platform: adapter.platform, reason: "it did not answer in time" };
  return await untilAborted(sending, signal, () => new PlatformError("PLATFORM_UNCERTAIN", fields));
}

/** A piece, and the content of the file that it sends. */
export interface FilledPiece {
  readonly piece: Piece;
  readonly content?: Uint8Array;
}

/** How often a file is read that cannot be: a disk may be busy, or a right missing. */
const MOST_READS = 10;

/** Reads the content of a piece's file; a line stands for a file that was lost. `times`: how often that was tried. */
export async function filledPiece(files: Pick<Files, "read">, piece: Piece, times: number): Promise<FilledPiece> {
  const { file } = piece;
  if (file === undefined) return { piece };
  if (file.text !== undefined) return { piece, content: Buffer.from(file.text) };
  const { name, size, hash = "" } = file;
  const content = await files.read({ hash, size }).catch((error: unknown) => {
    if (times < MOST_READS) throw error;
    return null;
  });
  return content === null ? { piece: { text: `${name} could not be read any more.` } } : { piece, content };
}

function sendOrEdit(
  adapter: PlatformAdapter,
  { conversation, draftMessageId }: OutboxRow,
  piece: Piece,
  options: SendOptions,
): Promise<SendReceipt> {
  // What grew there is no file.
  return draftMessageId !== null && adapter.edit && piece.file === undefined
    ? adapter.edit(conversation, draftMessageId, piece, options)
    : adapter.send(conversation, piece, options);
}

/** All of them or none: a question with some of its answers would ask something else. */
function withFittingChoices({ choices: limits }: PlatformAdapter, message: OutboundMessage): OutboundMessage {
  const { choices, ...others } = message;
  if (choices === undefined) return message;
  const isFitting =
    limits !== undefined &&
    choices.length <= limits.most &&
    choices.every(({ label }) => label.length <= limits.labelLength);
  return isFitting ? message : others;
}
