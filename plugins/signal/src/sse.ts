/** An event of the daemon's stream. */
export interface StreamEvent {
  /** By which the stream is taken up again behind it; null from daemons that number nothing (before 0.14.9). */
  readonly id: string | null;
  readonly data: string;
}

/**
 * Reads server-sent events ("Interpreting an event stream", HTML Living Standard) as they come in. Returns the events
 * that a chunk completes; comments complete none.
 */
export class EventReader {
  readonly #decoder = new TextDecoder();
  #rest = "";
  #id: string | null = null;
  #data: string[] = [];

  read(chunk: Uint8Array): StreamEvent[] {
    this.#rest += this.#decoder.decode(chunk, { stream: true });
    // A line feed may be on its way behind a carriage return.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): StreamEvent[] {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    if (field === "id" && !value.includes("\0")) this.#id = value || null;
    return [];
  }

  #dispatch(): StreamEvent[] {
    if (this.#data.length === 0) return [];
    const event = { id: this.#id, data: this.#data.join("\n") };
    this.#data = [];
    return [event];
  }
}
