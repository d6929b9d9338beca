import { inject, Lifecycle, scoped } from "tsyringe";
import type { HermesError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import { ChatSession } from "./chat-session.ts";
import { OUTPUT, READER } from "./tokens.ts";

/** What a chat says when its session was deleted elsewhere: nothing puts an empty one in its place unasked. */
@scoped(Lifecycle.ContainerScoped)
export class DeletedSession {
  /** The session of which it was told. */
  #told: SessionId | null = null;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(READER) readonly reader: LineReader,
    @inject(ChatSession) readonly session: ChatSession,
  ) {}

  /** Says so, once. */
  async tell(): Promise<void> {
    const deleted = await this.session.deleted();
    if (deleted === null || this.#told === this.session.current) return;
    this.#told = this.session.current;
    this.output.note(`${deleted.message} ${deleted.hint}`);
  }

  /** Asks whether a message is to begin a new session. Throws where nobody can be asked. */
  async mayBeginAnew(deleted: HermesError): Promise<boolean> {
    const answer = await this.reader.ask(`${deleted.message} Begin a new session with your message? (y/n)`);
    if (answer === null) throw deleted;
    if (isYes(answer)) return true;
    this.output.note("Not sent; arrow up brings your message back.");
    return false;
  }
}
