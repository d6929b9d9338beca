import { KeptLines, type Redactor, redactTexts } from "@hermes/core";
import { BufferJSON, proto, type WAMessage } from "@whiskeysockets/baileys";

/** The file is written anew after so many lines. */
const MOST_NEW_LINES = 1_000;

/** A message as JSON. The key stands beside it: it has ids that the message's own form has no place for. */
interface Written {
  readonly info: object;
  readonly key: WAMessage["key"];
}

/** A message that came or, without `message`, one that Hermes has. */
interface Line {
  readonly key: string;
  readonly message?: Written;
}

/**
 * Messages that came and that Hermes has not stored yet. A message can be decrypted only once, and WhatsApp is told at
 * once that it came; so it is written to a file in between, and no crash loses it.
 */
export class Arrivals {
  readonly #file: KeptLines<Line>;
  readonly #redact: Redactor;
  /** By the message's key, oldest first. */
  #waiting = new Map<string, Written>();
  /** Written by another process, and not taken yet. */
  readonly #found: Written[] = [];

  constructor(path: string, redact: Redactor) {
    this.#redact = redact;
    this.#file = new KeptLines<Line>({
      path,
      clear: () => {
        this.#waiting = new Map();
      },
      apply: ({ key, message }) => {
        if (message === undefined) this.#waiting.delete(key);
        else this.#waiting.set(key, message);
      },
      lines: () => Array.from(this.#waiting, ([key, message]) => ({ key, message })),
      mostNewLines: MOST_NEW_LINES,
      isDurable: true,
    });
  }

  /** All that wait, also what an earlier process has left, oldest first. */
  get waiting(): readonly WAMessage[] {
    return [...this.#waiting.values()].map(read);
  }

  /** Messages that another process, which had the account for a moment, has written meanwhile: each once, oldest first. */
  takeFound(): readonly WAMessage[] {
    return this.#found.splice(0).map(read);
  }

  /** False when it waits already. Throws when it cannot be written. */
  add(message: WAMessage): boolean {
    const key = keyOf(message);
    if (this.#waiting.has(key)) return false;
    try {
      this.#append({ key, message: written(message, this.#redact) });
    } catch (error) {
      // It is added when WhatsApp sends it again.
      this.#waiting.delete(key);
      throw error;
    }
    return true;
  }

  /** Hermes has stored it. */
  remove(message: WAMessage): void {
    const key = keyOf(message);
    if (this.#waiting.has(key)) this.#append({ key });
  }

  close(): void {
    this.#file.close();
  }

  #append(line: Line): void {
    const before = this.#waiting;
    try {
      this.#file.append(line);
    } finally {
      // Another process has written, too: the file was read anew.
      if (this.#waiting !== before) {
        const found = [...this.#waiting].filter(([key]) => key !== line.key && !before.has(key));
        this.#found.push(...found.map(([, message]) => message));
      }
    }
  }
}

export function keyOf({ key }: WAMessage): string {
  return `${key.remoteJid} ${key.participant ?? ""} ${key.id}`;
}

/** Without the secrets in what people say: a line stays until the file is written anew. */
function written(message: WAMessage, redact: Redactor): Written {
  const info = proto.WebMessageInfo.toObject(proto.WebMessageInfo.fromObject(message));
  const plain = JSON.parse(JSON.stringify(info, BufferJSON.replacer)) as { readonly key?: unknown };
  return { info: { ...(redactTexts(plain, redact) as object), key: plain.key }, key: message.key };
}

function read(message: Written): WAMessage {
  const { info, key } = JSON.parse(JSON.stringify(message), BufferJSON.reviver) as Written;
  return { ...(proto.WebMessageInfo.fromObject(info) as WAMessage), key };
}
