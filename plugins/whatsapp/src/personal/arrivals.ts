import { KeptLines, type Redactor, redactTexts } from "@hermes/core";
import { BufferJSON, proto, type WAMessage } from "@whiskeysockets/baileys";

/** The number of lines after which the file is compacted. */
const MOST_NEW_LINES = 1_000;

/** A message as JSON. The key is beside it: it has ids that the message's own form has no field for. */
interface Written {
  readonly info: object;
  readonly key: WAMessage["key"];
}

/** A line of the file: a message that arrived or, without `message`, one that Hermes has stored. */
interface Line {
  readonly key: string;
  readonly message?: Written;
}

/**
 * Keeps arrived messages in a file until Hermes has stored them. A message can be decrypted only once and is
 * acknowledged to WhatsApp at once, so a crash in between would lose it otherwise.
 */
export class Arrivals {
  readonly #file: KeptLines<Line>;
  readonly #redact: Redactor;
  /** The waiting messages, by key, oldest first. */
  #waiting = new Map<string, Written>();
  /** Messages that another process wrote and that were not handed out yet. */
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

  /** All waiting messages, those of an earlier process too, oldest first. */
  get waiting(): readonly WAMessage[] {
    return [...this.#waiting.values()].map(read);
  }

  /** Messages that another process wrote while it had the account: each returned once, oldest first. */
  takeFound(): readonly WAMessage[] {
    return this.#found.splice(0).map(read);
  }

  /** Adds a message. Returns false if it waits already; throws if it cannot be written. */
  add(message: WAMessage): boolean {
    const key = keyOf(message);
    if (this.#waiting.has(key)) return false;
    try {
      this.#append({ key, message: written(message, this.#redact) });
    } catch (error) {
      // WhatsApp sends it again; it is added then.
      this.#waiting.delete(key);
      throw error;
    }
    return true;
  }

  /** Called when Hermes has stored the message. */
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
      // Another process has written too, so the file was read again.
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

/** Redacts a message: its line stays until the file is compacted. */
function written(message: WAMessage, redact: Redactor): Written {
  const info = proto.WebMessageInfo.toObject(proto.WebMessageInfo.fromObject(message));
  const plain = JSON.parse(JSON.stringify(info, BufferJSON.replacer)) as { readonly key?: unknown };
  return { info: { ...(redactTexts(plain, redact) as object), key: plain.key }, key: message.key };
}

function read(message: Written): WAMessage {
  const { info, key } = JSON.parse(JSON.stringify(message), BufferJSON.reviver) as Written;
  return { ...(proto.WebMessageInfo.fromObject(info) as WAMessage), key };
}
