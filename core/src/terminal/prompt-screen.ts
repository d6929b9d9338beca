import { Writable } from "node:stream";
import type { Io } from "./io.ts";

/** The terminal as readline draws on it: muted, it shows nothing of what is typed. */
export class PromptScreen extends Writable {
  readonly isTTY = true;
  isMuted = true;
  readonly #io: Io;

  constructor(io: Io) {
    super({ decodeStrings: false });
    this.#io = io;
  }

  get columns(): number {
    return this.#io.columns();
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#io.stdout.write(chunk);
    done();
  }
}
