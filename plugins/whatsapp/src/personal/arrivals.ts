import { type Redactor, redactTexts } from "@hermes/core";
import { BufferJSON, proto, type WAMessage } from "@whiskeysockets/baileys";
import { LineFile } from "./line-file.ts";

/** The file is written anew when it has this many lines. */
const MOST_LINES = 1_000;

/**
 * Messages that have come and that Hermes has not taken yet. A message can be decrypted once only, and WhatsApp is told
 * at once that it has come; so it is written down here in between, and lost by no crash.
 */
export class Arrivals {
  readonly #file: LineFile;
  readonly #redact: Redactor;
  /** As JSON, by the message's key. */
  #waiting: Map<string, string>;
  /** What another process has written down, and was not asked for yet. */
  #found: string[] = [];
  #lines = 0;

  constructor(path: string, redact: Redactor) {
    this.#redact = redact;
    this.#file = new LineFile(path);
    this.#waiting = this.#read();
    this.#compact();
  }

  /** What an earlier process has left, oldest first. */
  get waiting(): readonly WAMessage[] {
    return [...this.#waiting.values()].map(read);
  }

  /** What another process, that had the account for a moment, has written down meanwhile: each once, oldest first. */
  takeFound(): readonly WAMessage[] {
    return this.#found.splice(0).map(read);
  }

  /** False when it waits already. */
  add(message: WAMessage): boolean {
    const key = keyOf(message);
    if (this.#waiting.has(key)) return false;
    const json = written(message, this.#redact);
    // First: the file may be written anew behind the line, from what waits.
    this.#waiting.set(key, json);
    try {
      this.#append(lineOf(key, json));
    } catch (error) {
      this.#waiting.delete(key);
      throw error;
    }
    return true;
  }

  /** Hermes has it. */
  remove(message: WAMessage): void {
    const key = keyOf(message);
    if (!this.#waiting.delete(key)) return;
    this.#append(JSON.stringify({ key }));
  }

  close(): void {
    this.#file.close();
  }

  #append(line: string): void {
    if (this.#file.append(line)) {
      const before = this.#waiting;
      this.#waiting = this.#read();
      this.#found.push(...[...this.#waiting].filter(([key]) => !before.has(key)).map(([, json]) => json));
    }
    if (++this.#lines > MOST_LINES) this.#compact();
  }

  #read(): Map<string, string> {
    const waiting = new Map<string, string>();
    for (const line of this.#file.read()) {
      const { key, message } = line as { readonly key: string; readonly message?: object };
      if (message === undefined) waiting.delete(key);
      else waiting.set(key, JSON.stringify(message));
    }
    return waiting;
  }

  #compact(): void {
    this.#file.replace([...this.#waiting].map(([key, json]) => lineOf(key, json)));
    this.#lines = this.#waiting.size;
  }
}

export function keyOf({ key }: WAMessage): string {
  return `${key.remoteJid} ${key.participant ?? ""} ${key.id}`;
}

function lineOf(key: string, json: string): string {
  return `{"key":${JSON.stringify(key)},"message":${json}}`;
}

/**
 * The key stands beside the message: it has ids that the message's own form has no place for. What people say is
 * written without secrets: a line stays until the file is written anew.
 */
function written(message: WAMessage, redact: Redactor): string {
  const info = proto.WebMessageInfo.toObject(proto.WebMessageInfo.fromObject(message));
  const plain = JSON.parse(JSON.stringify(info, BufferJSON.replacer)) as { readonly key?: unknown };
  return JSON.stringify({ info: { ...(redactTexts(plain, redact) as object), key: plain.key }, key: message.key });
}

function read(json: string): WAMessage {
  const { info, key } = JSON.parse(json, BufferJSON.reviver) as {
    readonly info: object;
    readonly key: WAMessage["key"];
  };
  return { ...(proto.WebMessageInfo.fromObject(info) as WAMessage), key };
}
