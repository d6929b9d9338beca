import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { digestOf } from "../base/digest.ts";
import { KeptLines } from "../base/kept-lines.ts";

/** What was about to be sent or made on a platform, and what came of it. `Note`: what else the adapter keeps with it. */
export interface Sent<Note = unknown> {
  /** As `SendOptions` has it, or a name of the adapter's for something else that it makes. */
  readonly key: string;
  /** Where: a chat, a thread, the threads of a chat. */
  readonly place: string;
  /** Stands for what it says, which is not kept. */
  readonly digest: string;
  /** The newest id that was known there: what was made for this one is newer. Null when nothing was known. */
  readonly after: string | null;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
  /** The platform's id of it; null while nobody knows whether it is there. */
  readonly madeId: string | null;
  /** More ids of it, where the platform shows it more than once. */
  readonly otherIds?: readonly string[];
  /** Whether what became of it is known for good; see {@link LateReports}. */
  readonly isSettled?: boolean;
  readonly note?: Note | undefined;
}

/** Where a {@link SentLog} is kept, and how much of it. */
export interface SentLogParts {
  /** The plugin's own: the log is `journal.jsonl` there. */
  readonly folder: string;
  readonly clock: Clock;
  /**
   * Whether a power cut may not take what was begun, or was changed since, which costs an fsync for each. The platform is
   * asked again for what came of it.
   */
  readonly isDurable?: boolean;
  /** How many are remembered: the last 10,000 where it is left out. */
  readonly most?: number;
}

type Line =
  | Omit<Sent, "madeId">
  | ({ readonly key: string } & Partial<Sent>)
  | { readonly since: number }
  | { readonly latest: string; readonly in: string };

const MOST = 10_000;

/**
 * What was sent, written down before it is sent, for a platform that keeps no key with a message: after a lost answer or
 * a crash a message is found again in the history, by its place and by what it says, and is told from others like it.
 *
 * @example
 * ```ts
 * const earlier = log.get(key);
 * if (earlier?.madeId) return { messageId: earlier.madeId, sentAt: earlier.at };
 * const found = earlier && (await list(chatId)).find(({ id, text }) => log.isFor(earlier, id, text));
 * if (found) log.made(key, found.id);
 * …
 * log.begin(key, chatId, text);
 * log.made(key, (await post(chatId, text)).id); // or log.drop(key), where it was refused
 * ```
 */
export class SentLog<Note = unknown> {
  readonly #clock: Clock;
  readonly #most: number;
  /** The first that was begun first. */
  readonly #sent = new Map<string, Sent<Note>>();
  readonly #keys = new Map<string, string>();
  /** The keys of what says the same at the same place. */
  readonly #alike = new Map<string, Set<string>>();
  /** The newest id in each place. */
  readonly #latest = new Map<string, string>();
  readonly #lines: KeptLines<Line>;
  #since = Number.POSITIVE_INFINITY;

  constructor({ folder, clock, isDurable = false, most = MOST }: SentLogParts) {
    this.#clock = clock;
    this.#most = most;
    this.#lines = new KeptLines<Line>({
      path: join(folder, "journal.jsonl"),
      clear: () => {
        this.#since = Number.POSITIVE_INFINITY;
        for (const known of [this.#sent, this.#keys, this.#alike, this.#latest]) known.clear();
      },
      apply: (line) => this.#apply(line),
      lines: () => this.#worthKeeping(),
      mostNewLines: 2 * most,
      isDurable,
    });
    if (this.#since === Number.POSITIVE_INFINITY) this.#lines.append({ since: clock.now() });
  }

  /** From when on it knows all that was sent, in milliseconds since 1970. */
  get since(): number {
    return this.#since;
  }

  get(key: string): Sent<Note> | null {
    return this.#sent.get(key) ?? null;
  }

  /** What has the platform's id `id`. */
  byId(id: string): Sent<Note> | null {
    return this.get(this.#keys.get(id) ?? "");
  }

  /** What says `content` at a place; what was begun first comes first. */
  alike(place: string, content: string): readonly Sent<Note>[] {
    return [...(this.#alike.get(`${digestOf(content)} ${place}`) ?? [])].flatMap((key) => this.#sent.get(key) ?? []);
  }

  /** All that is remembered; what was begun first comes first. */
  all(): readonly Sent<Note>[] {
    return [...this.#sent.values()];
  }

  /** Writes down, before the platform is asked, that something is to be sent. Throws where that cannot be written. */
  begin(key: string, place: string, content: string, note?: Note): Sent<Note> {
    const after = this.#latest.get(place) ?? null;
    const begun = { key, place, digest: digestOf(content), after, at: this.#clock.now(), ...(note && { note }) };
    this.#lines.append(begun);
    return { ...begun, madeId: null };
  }

  /** It is there, and has an id. */
  made(key: string, madeId: string, note?: Note): void {
    this.#lines.append({ key, madeId, ...(note && { note }) }, false);
  }

  /** The platform refused: nothing is there. */
  drop(key: string): void {
    this.#lines.append({ key, madeId: null }, false);
  }

  /** It says something else now, or something else is kept with it. */
  change(
    key: string,
    {
      content,
      ...changes
    }: Partial<Pick<Sent<Note>, "otherIds" | "isSettled" | "note">> & { readonly content?: string },
  ): void {
    const line = { key, ...changes, ...(content !== undefined && { digest: digestOf(content) }) };
    const isFate = Object.keys(changes).every((name) => name === "isSettled") && content === undefined;
    this.#lines.append(line, isFate ? false : undefined);
  }

  /** Whether what the platform has as `madeId`, and says `content`, may be what was sent: it says that, and is no other. */
  isFor({ key, digest }: Sent<Note>, madeId: string, content: string): boolean {
    return (this.#keys.get(madeId) ?? key) === key && digestOf(content) === digest;
  }

  close(): void {
    this.#lines.close();
  }

  #apply(line: Line): void {
    if ("since" in line) this.#since = line.since;
    else if ("in" in line) this.#latest.set(line.in, line.latest);
    else if ("place" in line) this.#set({ madeId: null, ...line } as Sent<Note>);
    else {
      const before = this.#sent.get(line.key);
      if (before === undefined) return;
      this.#unlink(before);
      if (line.madeId === null) this.#sent.delete(line.key);
      else this.#set({ ...before, ...(line as Partial<Sent<Note>>) });
    }
  }

  #set(sent: Sent<Note>): void {
    const { key, place, digest, madeId, otherIds = [] } = sent;
    this.#sent.set(key, sent);
    const name = `${digest} ${place}`;
    this.#alike.set(name, (this.#alike.get(name) ?? new Set()).add(key));
    for (const id of otherIds) this.#keys.set(id, key);
    if (madeId !== null) {
      this.#keys.set(madeId, key);
      this.#latest.set(place, madeId);
    }
    const [oldest, next] = this.#sent.values();
    if (this.#sent.size <= this.#most || !oldest || !next) return;
    this.#unlink(oldest);
    this.#sent.delete(oldest.key);
    this.#since = Math.max(this.#since, next.at);
  }

  #unlink({ key, place, digest, madeId, otherIds = [] }: Sent<Note>): void {
    for (const id of [madeId, ...otherIds]) if (id !== null && this.#keys.get(id) === key) this.#keys.delete(id);
    const alike = this.#alike.get(`${digest} ${place}`);
    if (alike?.delete(key) && alike.size === 0) this.#alike.delete(`${digest} ${place}`);
  }

  #worthKeeping(): Line[] {
    const latest = [...this.#latest].map(([place, id]) => ({ in: place, latest: id }));
    const since = Number.isFinite(this.#since) ? [{ since: this.#since }] : [];
    return [...since, ...this.#sent.values(), ...latest];
  }
}
