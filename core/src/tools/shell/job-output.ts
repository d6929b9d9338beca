import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Concealer } from "../../base/redact.ts";
import { replaceFile } from "../../base/replace-file.ts";

/** In bytes. Of more, the last half is kept. */
const LARGEST = 8_000_000;
/** How much of the end is at hand, in UTF-16 units. */
const END = 2000;

/** Keeps what a background command puts out in a file, without secrets of this Hermes: of very much, the end. */
export class JobOutput {
  readonly file: string;
  readonly #stream: ReturnType<Concealer["stream"]>;
  #size = 0;
  #end = "";

  constructor(file: string, concealer: Concealer) {
    this.file = file;
    this.#stream = concealer.stream();
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, "");
  }

  /** Its last five lines. */
  get lastLines(): string {
    return this.#end.trimEnd().split("\n").slice(-5).join("\n");
  }

  add(text: string): void {
    this.#write(this.#stream.push(text));
  }

  /** Closes the file with a line that says how the command ended. */
  end(how: string): void {
    this.#write(this.#stream.end());
    this.#write(`${this.#end === "" || this.#end.endsWith("\n") ? "" : "\n"}${how}\n`);
  }

  #write(text: string): void {
    if (text === "") return;
    this.#end = (this.#end + text).slice(-END);
    try {
      appendFileSync(this.file, text, { mode: 0o600 });
      this.#size += Buffer.byteLength(text);
      if (this.#size > LARGEST) this.#cut();
    } catch {
      // The folder went with its session, or the disk is full: the command goes on.
    }
  }

  #cut(): void {
    const end = readFileSync(this.file).subarray(-LARGEST / 2);
    const kept = `[what came before was not kept]\n${end.subarray(end.indexOf("\n") + 1).toString()}`;
    replaceFile(this.file, kept);
    this.#size = Buffer.byteLength(kept);
  }
}
