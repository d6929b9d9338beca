import { inject, Lifecycle, scoped } from "tsyringe";
import { asHermesError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import { type LineId, OUTPUT_LINE } from "../../model/typed-line.ts";
import type { TypedLines } from "../../store/message-stores.ts";
import type { TerminalHost } from "../context.ts";
import { LEASE_MS, LineLease } from "./line-lease.ts";
import { HOST } from "./tokens.ts";

interface Entry {
  readonly id: LineId;
  /** Null for what was run before the first message created a session: this terminal alone has it. */
  readonly sessionId: SessionId | null;
  readonly text: string;
  /** Whether the store has it. */
  readonly kept: Promise<boolean>;
}

/** What goes along with a message, and what the store has of it: the step that writes the message takes that away. */
export interface TakenOutput {
  readonly text: string;
  readonly lines: readonly LineId[];
}

/**
 * What commands of the person put out and the agent is to read with their next message. It is in the store until then,
 * among the lines that are typed ahead and under the same lease: the terminal may end at any moment.
 */
@scoped(Lifecycle.ContainerScoped)
export class UntoldOutput implements Disposable {
  /** Its calls do not wait for a busy store. */
  readonly #lines: TypedLines;
  #entries: Entry[] = [];
  /** What goes along with a message that is being sent. */
  #given: Entry[] = [];
  readonly #lease: LineLease;

  constructor(@inject(HOST) readonly host: TerminalHost) {
    this.#lines = host.promptStore.typedLines;
    // The terminal that has taken it over tells it.
    this.#lease = new LineLease(host, () => {
      this.#entries = [];
    });
  }

  /** Resolves once the store has it; where it does not take it, this terminal still does. */
  async keep(sessionId: SessionId | null, text: string): Promise<void> {
    const { ids, holder, logger } = this.host;
    const id = ids.next(OUTPUT_LINE) as LineId;
    const kept =
      sessionId === null
        ? Promise.resolve(false)
        : this.#lines.keep(sessionId, [{ id, text }], holder, LEASE_MS).then(
            () => true,
            (error: unknown) => {
              logger.warn({ reason: asHermesError(error).message }, "what a command put out could not be kept");
              return false;
            },
          );
    this.#entries.push({ id, sessionId, text, kept });
    if (await kept) this.#lease.keep();
  }

  /**
   * What the agent is to be told with a message of the session; once that is `told`. What was run in another is told
   * nowhere.
   */
  async take(sessionId: SessionId): Promise<TakenOutput> {
    const { holder } = this.host;
    const entries = this.#entries.splice(0);
    this[Symbol.dispose]();
    const isTold = (entry: Entry) => entry.sessionId === null || entry.sessionId === sessionId;
    const other = await keptOf(entries.filter((entry) => !isTold(entry)));
    if (other.length > 0) await this.#lines.remove(other, holder);
    const told = entries.filter(isTold);
    this.#given.push(...told);
    return { text: told.map(({ text }) => `\n${text}`).join(""), lines: await keptOf(told) };
  }

  /** The same for a message whose step takes none of it away: the store has it no more. */
  async takeOut(sessionId: SessionId): Promise<string> {
    const { text, lines } = await this.take(sessionId);
    if (lines.length > 0) await this.#lines.remove(lines, this.host.holder);
    this.#given = this.#given.map((entry) => ({ ...entry, kept: Promise.resolve(false) }));
    return text;
  }

  /** The message that it went along with was sent. */
  told(): void {
    this.#given = [];
  }

  /** That message was not sent: it goes along with the next one. */
  takeBack(): void {
    const back = this.#given.splice(0);
    this.#entries.unshift(...back);
    for (const { kept } of back) void kept.then((isKept) => isKept && this.#lease.keep());
  }

  /** Takes over what a terminal that is gone has left in a session. Returns how much that is. */
  async adopt(sessionId: SessionId): Promise<number> {
    const { holder } = this.host;
    const all = await this.#lines.left(sessionId);
    const left = all.filter(isOutput);
    if (left.length === 0) return 0;
    const taken = await this.#lines.takeOver(
      left.map(({ id }) => id),
      holder,
      LEASE_MS,
    );
    // A message that had to wait holds what goes along with it.
    const isSaid = (text: string) => all.some((line) => !isOutput(line) && line.text.includes(text));
    const said = taken.filter(({ text }) => isSaid(text)).map(({ id }) => id);
    if (said.length > 0) await this.#lines.remove(said, holder);
    const rest = taken.filter(({ id }) => !said.includes(id));
    this.#entries.push(...rest.map(({ id, text }) => ({ id, sessionId, text, kept: Promise.resolve(true) })));
    if (rest.length > 0) this.#lease.keep();
    return rest.length;
  }

  /** Leaves it to whoever opens its session next. Returns how much that is. */
  async leave(): Promise<number> {
    this[Symbol.dispose]();
    const kept = await keptOf(this.#entries.splice(0));
    if (kept.length > 0) await this.#lines.release(this.host.holder);
    return kept.length;
  }

  [Symbol.dispose](): void {
    this.#lease[Symbol.dispose]();
  }
}

/** Whether a line of the store is what a command put out. */
export function isOutput({ id }: { readonly id: LineId }): boolean {
  return id.startsWith(`${OUTPUT_LINE}_`);
}

async function keptOf(entries: readonly Entry[]): Promise<LineId[]> {
  const kept = await Promise.all(entries.map(async ({ id, kept }) => ((await kept) ? [id] : [])));
  return kept.flat();
}
