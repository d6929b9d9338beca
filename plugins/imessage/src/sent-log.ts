import { createHash } from "node:crypto";
import { join } from "node:path";
import { KeptLines, RecentMap } from "@hermes/core";
import type { Tapbacks } from "./choices.ts";
import type { WireRow } from "./wire.ts";

/** A message that Hermes sends, or has sent. */
export interface Sent {
  readonly key: string;
  /** The chat, by the conversation's id. */
  readonly chatId: string;
  /** Stands for its words, which are not kept. */
  readonly words: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
  /** The server's id of it; missing while it is not known whether it went out. */
  readonly guid?: string;
  /** When Messages wrote it, by the Mac's clock. */
  readonly dateCreated?: number;
  /** The id of the second row, of a message to oneself. */
  readonly copy?: string;
  readonly tapbacks?: Tapbacks | undefined;
  /** Tapbacks on it that Hermes has. */
  readonly pressed?: readonly string[];
  /** Whether what became of it is known for good. */
  readonly isSettled?: boolean;
}

type Line = Sent | { readonly key: string; readonly dropped: true } | { readonly since: number };

/** The Mac's clock may differ from this machine's by as much, in milliseconds. */
export const CLOCKS_DIFFER_MS = 60_000;

/** The second row of a message to oneself is written with the first, or as soon after it, in milliseconds. */
const TOGETHER_MS = 1_000;
const COPIED_WITHIN_MS = 10_000;

/** The server sends no longer than that, in milliseconds: later words are a person's own. */
const SENT_WITHIN_MS = 130_000;

/** A row with the words of a message that was begun longer ago, in milliseconds, is another one. */
const WRITTEN_WITHIN_MS = 15 * 60_000;

/** How many sent messages are remembered. */
const MOST_SENT = 5_000;

/**
 * What Hermes has sent, written down before it is sent. The server takes no key that it knows again, so only this tells
 * whether a message went out whose answer was lost; and in the chat with oneself, whose messages are Hermes'.
 */
export class SentLog {
  readonly #byKey = new RecentMap<string, Sent>(MOST_SENT);
  readonly #byGuid = new RecentMap<string, string>(MOST_SENT);
  readonly #byCopy = new RecentMap<string, string>(MOST_SENT);
  readonly #lines: KeptLines<Line>;
  #since = Number.POSITIVE_INFINITY;
  /** How far the Mac's clock is ahead of this machine's, in milliseconds. */
  aheadMs = 0;

  constructor(folder: string, now: number) {
    this.#lines = new KeptLines<Line>({
      path: join(folder, "sent.jsonl"),
      clear: () => {
        this.#byKey.clear();
        this.#byGuid.clear();
        this.#byCopy.clear();
      },
      apply: (line) => this.#apply(line),
      lines: () => [{ since: this.since }, ...this.#byKey.values()],
      mostNewLines: MOST_SENT,
      isDurable: true,
    });
    if (this.#since === Number.POSITIVE_INFINITY) this.#lines.append({ since: now });
  }

  /** From when on it knows all that was sent, in milliseconds since 1970. */
  get since(): number {
    const [oldest] = this.#byKey.values();
    return this.#byKey.size < MOST_SENT || oldest === undefined ? this.#since : Math.max(this.#since, oldest.at);
  }

  /** When a row was written, by this machine's clock. */
  writtenAt({ dateCreated }: Pick<WireRow, "dateCreated">): number {
    return dateCreated - this.aheadMs;
  }

  get(key: string): Sent | undefined {
    return this.#byKey.get(key);
  }

  byGuid(guid: string): Sent | undefined {
    const key = this.#byGuid.get(guid);
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  all(): readonly Sent[] {
    return [...this.#byKey.values()];
  }

  put(sent: Sent): Sent {
    this.#lines.append(sent);
    return sent;
  }

  /** It was refused, so nobody has it. */
  drop(key: string): void {
    this.#lines.append({ key, dropped: true });
  }

  /**
   * What was sent as the row that came, in the chat `chatId`: known by its id or, while that is not known, by its words.
   * From then on it is known by its id, and the same words in another row are somebody else's. A message to oneself has a
   * second row, which seems to come from a person: whatever the account's addresses are, that is known, too.
   */
  claim(row: WireRow, chatId: string): Sent | undefined {
    const known = this.byGuid(row.guid) ?? this.#byKey.get(this.#byCopy.get(row.guid) ?? "");
    if (known !== undefined) return known;
    const words = wordsOfRow(row);
    const begun = this.all().find((sent) => {
      const isWanted = row.isFromMe ? sent.guid === undefined : sent.copy === undefined;
      return isWanted && sent.chatId === chatId && sent.words === words && this.#isInTime(row, sent);
    });
    const { guid, dateCreated } = row;
    return begun && this.put({ ...begun, ...(row.isFromMe ? { guid, dateCreated } : { copy: guid }) });
  }

  #isInTime(row: WireRow, { at, dateCreated }: Sent): boolean {
    const since = dateCreated === undefined ? this.writtenAt(row) - at : row.dateCreated - dateCreated;
    return dateCreated === undefined
      ? since > -CLOCKS_DIFFER_MS && since < (row.isFromMe ? WRITTEN_WITHIN_MS : SENT_WITHIN_MS)
      : since > -TOGETHER_MS && since < COPIED_WITHIN_MS;
  }

  close(): void {
    this.#lines.close();
  }

  #apply(line: Line): void {
    if ("since" in line) this.#since = line.since;
    else if ("dropped" in line) this.#byKey.delete(line.key);
    else {
      // The first that were begun stay the first.
      if (this.#byKey.has(line.key)) Map.prototype.set.call(this.#byKey, line.key, line);
      else this.#byKey.set(line.key, line);
      if (line.guid !== undefined) this.#byGuid.set(line.guid, line.key);
      if (line.copy !== undefined) this.#byCopy.set(line.copy, line.key);
    }
  }
}

/** Stands for a text: its letters and digits, since Messages and the server change the rest ("MessagePromise"). */
export function wordsOf(text: string, fileName?: string): string {
  const plain = fileName === undefined ? text.replaceAll(/[^\p{L}\p{N}]/gu, "") || text.trim() : `\0${fileName}`;
  return createHash("sha256").update(plain).digest("base64url");
}

function wordsOfRow({ text, attachments }: WireRow): string {
  return wordsOf(text ?? "", attachments[0]?.transferName ?? undefined);
}
