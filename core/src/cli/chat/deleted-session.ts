import type { HermesError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import type { ChatPlace } from "./chat-place.ts";

/** What a chat says when its session was deleted elsewhere: nothing puts an empty one in its place unasked. */
export class DeletedSession {
  readonly #output: Output;
  readonly #place: ChatPlace;
  readonly #reader: LineReader;
  /** The session of which it was told. */
  #told: SessionId | null = null;

  constructor(output: Output, place: ChatPlace, reader: LineReader) {
    this.#output = output;
    this.#place = place;
    this.#reader = reader;
  }

  /** Says so, once. */
  async tell(): Promise<void> {
    const deleted = await this.#place.deleted();
    if (deleted === null || this.#told === this.#place.current) return;
    this.#told = this.#place.current;
    this.#output.note(`${deleted.message} ${deleted.hint}`);
  }

  /** Asks whether a message is to begin a new session. Throws where nobody can be asked. */
  async mayBeginAnew(deleted: HermesError): Promise<boolean> {
    const answer = await this.#reader.ask(`${deleted.message} Begin a new session with your message? (y/n)`);
    if (answer === null) throw deleted;
    if (isYes(answer)) return true;
    this.#output.note("Not sent; arrow up brings your message back.");
    return false;
  }
}
