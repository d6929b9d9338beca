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
  /** As JSON, by the message's key. */
  readonly #waiting = new Map<string, string>();
  #lines = 0;

  constructor(path: string) {
    this.#file = new LineFile(path);
    for (const line of this.#file.read()) {
      const { key, message } = line as { readonly key: string; readonly message?: string };
      if (message === undefined) this.#waiting.delete(key);
      else this.#waiting.set(key, message);
    }
    this.#compact();
  }

  /** What an earlier process has left, oldest first. */
  get waiting(): readonly WAMessage[] {
    return [...this.#waiting.values()].map(read);
  }

  /** False when it waits already. */
  add(message: WAMessage): boolean {
    const key = keyOf(message);
    if (this.#waiting.has(key)) return false;
    const json = JSON.stringify(proto.WebMessageInfo.toObject(asInfo(message)), BufferJSON.replacer);
    // Ids beside those of the message's own form: who wrote, by the other id.
    const whole = JSON.stringify({ info: json, key: message.key });
    this.#append({ key, message: whole });
    this.#waiting.set(key, whole);
    return true;
  }

  /** Hermes has it. */
  remove(message: WAMessage): void {
    const key = keyOf(message);
    if (!this.#waiting.delete(key)) return;
    this.#append({ key });
  }

  close(): void {
    this.#file.close();
  }

  #append(line: object): void {
    this.#file.append(JSON.stringify(line));
    if (++this.#lines > MOST_LINES) this.#compact();
  }

  #compact(): void {
    this.#file.replace([...this.#waiting].map(([key, message]) => JSON.stringify({ key, message })));
    this.#lines = this.#waiting.size;
  }
}

export function keyOf({ key }: WAMessage): string {
  return `${key.remoteJid} ${key.participant ?? ""} ${key.id}`;
}

function asInfo(message: WAMessage): proto.WebMessageInfo {
  return proto.WebMessageInfo.fromObject(message);
}

function read(whole: string): WAMessage {
  const { info, key } = JSON.parse(whole) as { readonly info: string; readonly key: WAMessage["key"] };
  const message = proto.WebMessageInfo.fromObject(JSON.parse(info, BufferJSON.reviver) as object);
  return { ...(message as WAMessage), key };
}
