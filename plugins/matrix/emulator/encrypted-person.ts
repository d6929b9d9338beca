import type { MatrixClient } from "matrix-js-sdk";
import { SERVER_NAME, type Session } from "./homeserver.ts";
import { type Content, isObject } from "./wire.ts";

/** How long a person's client is given to get ready, and to read a message, in milliseconds. */
const PATIENCE_MS = 30_000;
const READING_MS = 10_000;

export interface FileEncryption {
  encrypt(content: Buffer): { readonly data: Buffer; readonly info: Content };
  /** Throws for what was changed. */
  decrypt(data: Buffer, info: Content): Buffer;
}

/**
 * A person with a client of their own, as end-to-end encryption needs one: matrix-js-sdk with its own keys, which the
 * server never sees. What the client could read is kept by the event's id.
 */
export class EncryptedPerson {
  readonly #client: MatrixClient;
  readonly #files: FileEncryption;
  readonly #read = new Map<string, Content>();
  readonly #readers = new Set<() => void>();
  #closed = false;

  private constructor(client: MatrixClient, files: FileEncryption) {
    this.#client = client;
    this.#files = files;
  }

  static async start(url: string, { userId, deviceId, token }: Session): Promise<EncryptedPerson> {
    const sdk = await import("matrix-js-sdk");
    await silenceLibrary();
    const { Attachment, EncryptedAttachment, initAsync } = await import("@matrix-org/matrix-sdk-crypto-wasm");
    await initAsync();
    const client = sdk.createClient({ baseUrl: url, accessToken: token, userId, deviceId, logger: silent() });
    const person = new EncryptedPerson(client, {
      encrypt(content) {
        const encrypted = Attachment.encrypt(content);
        const data = Buffer.from(encrypted.encryptedData);
        return { data, info: JSON.parse(encrypted.mediaEncryptionInfo ?? "{}") as Content };
      },
      decrypt: (data, info) => Buffer.from(Attachment.decrypt(new EncryptedAttachment(data, JSON.stringify(info)))),
    });
    await client.initRustCrypto({ useIndexedDB: false });
    client.on(sdk.MatrixEventEvent.Decrypted, (event) => {
      if (!event.isDecryptionFailure()) person.#note(event.getId(), event.getClearContent());
    });
    const ready = new Promise<void>((resolve) => {
      client.on(sdk.ClientEvent.Sync, (state) => {
        if (state === "PREPARED") resolve();
      });
    });
    await client.startClient({ initialSyncLimit: 50 });
    await within(ready, `the client of ${userId} on ${SERVER_NAME} did not get ready`);
    return person;
  }

  /** What an event says; undefined where the client cannot read it, or not yet. */
  contentOf(eventId: string): Content | undefined {
    return this.#read.get(eventId);
  }

  /** Resolves when the client has read an event, or has not for a while. */
  async hasRead(eventId: string): Promise<void> {
    const read = new Promise<void>((resolve) => {
      const look = () => {
        if (!this.#closed && !this.#read.has(eventId)) return;
        this.#readers.delete(look);
        resolve();
      };
      this.#readers.add(look);
      look();
    });
    await within(read, "", READING_MS).catch(() => {});
  }

  /** Sends, encrypted where the room is. Returns the event's id. */
  async send(roomId: string, content: Content): Promise<string> {
    const { event_id: eventId } = await this.#client.sendEvent(roomId, "m.room.message" as never, content as never);
    this.#note(eventId, content);
    return eventId;
  }

  /** Resolves when the client knows of a membership in a room, so that it encrypts for all who are there. */
  async knows(roomId: string, userId: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!this.#client.getRoom(roomId)?.getMember(userId) && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The keys of the next message are new ones. */
  async rotateKeys(roomId: string): Promise<void> {
    await this.#client.getCrypto()?.forceDiscardSession(roomId);
  }

  /** "Sending encrypted attachments": the keys of a file are in the event that names it. */
  get files(): FileEncryption {
    return this.#files;
  }

  close(): void {
    this.#closed = true;
    for (const look of [...this.#readers]) look();
    this.#client.stopClient();
  }

  #note(eventId: string | undefined, content: unknown): void {
    if (eventId === undefined || !isObject(content)) return;
    this.#read.set(eventId, content);
    for (const look of [...this.#readers]) look();
  }
}

async function within(work: Promise<void>, complaint: string, patienceMs = PATIENCE_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint)), patienceMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Parts of the library write to the console, whatever logger a client is given. */
async function silenceLibrary(): Promise<void> {
  const { logger } = await import("matrix-js-sdk/lib/logger.js");
  const loud = logger as { methodFactory?: unknown; rebuild?: () => void };
  // Loggers that are made from now on inherit this.
  loud.methodFactory = () => () => {};
  loud.rebuild?.();
}

function silent() {
  const quiet = () => {};
  const logger = { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, getChild: () => logger };
  return logger;
}
