import { StringDecoder } from "node:string_decoder";

/** Collects what a command puts out; of very much, the head and the tail, so that it never fills the memory. */
export class BoundedText {
  readonly #half: number;
  #head = "";
  #tail: string[] = [];
  #tailLength = 0;
  #cut = 0;

  /** `longest` is in UTF-16 units. */
  constructor(longest = 8_000_000) {
    this.#half = longest / 2;
  }

  add(text: string): void {
    const room = this.#half - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === "") return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= this.#half) {
      const dropped = this.#tail.shift()?.length ?? 0;
      this.#tailLength -= dropped;
      this.#cut += dropped;
    }
  }

  get text(): string {
    const note = this.#cut === 0 ? "" : `\n\n[${this.#cut.toLocaleString("en")} characters were not kept]\n\n`;
    return this.#head + note + this.#tail.join("");
  }
}

/** Decodes the pieces of a stream, and hands each on. */
export function onText(stream: NodeJS.ReadableStream, take: (text: string) => void): void {
  const decoder = new StringDecoder("utf8");
  stream.on("data", (bytes: Buffer) => take(decoder.write(bytes)));
  stream.on("end", () => take(decoder.end()));
}
