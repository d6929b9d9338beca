import { unavailable } from "./errors.ts";

/** An event of the daemon's stream. */
export interface StreamEvent {
  /** By which the stream is taken up again behind it; null from daemons that number nothing (before 0.14.9). */
  readonly id: string | null;
  readonly data: string;
}

/** A message has 64 KiB of text at most, and files are not in it. What is longer than this is no event, in characters. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/**
 * Reads server-sent events ("Interpreting an event stream", HTML Living Standard) as they come in. Returns the events
 * that a chunk completes; comments complete none. Throws when an event does not end.
 */
export class EventReader {
  readonly #decoder = new TextDecoder();
  /** A carriage return, behind which a line feed may be on its way. */
  #held = "";
  #line = "";
  #id: string | null = null;
  #data: string[] = [];
  #length = 0;

  read(chunk: Uint8Array): StreamEvent[] {
    const text = this.#held + this.#decoder.decode(chunk, { stream: true });
    this.#held = text.endsWith("\r") ? "\r" : "";
    const [rest = "", ...begun] = text.slice(0, text.length - this.#held.length).split(/\r\n?|\n/);
    const lines = [this.#line + rest, ...begun];
    this.#line = lines.pop() ?? "";
    const events = lines.flatMap((line) => this.#take(line));
    if (this.#length + this.#line.length > LONGEST_EVENT)
      throw unavailable("its daemon sends something without an end");
    return events;
  }

  #take(line: string): StreamEvent[] {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") {
      this.#data.push(value);
      this.#length += value.length;
    }
    if (field === "id" && !value.includes("\0")) this.#id = value || null;
    return [];
  }

  #dispatch(): StreamEvent[] {
    if (this.#data.length === 0) return [];
    const event = { id: this.#id, data: this.#data.join("\n") };
    this.#data = [];
    this.#length = 0;
    return [event];
  }
}
