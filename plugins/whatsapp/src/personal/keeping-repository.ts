import { AsyncLocalStorage } from "node:async_hooks";
import {
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  decodeMessageNode,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
  unpadRandomMax16,
  type WAMessage,
  type WASocket,
} from "@whiskeysockets/baileys";

type MakeRepository = SocketConfig["makeSignalRepository"];

/** The account's own ids. */
export interface OwnIds {
  readonly id: string;
  readonly lid: string;
}

/**
 * Baileys' Signal sessions, with two faults mended that would lose messages:
 *
 * - Baileys acknowledges a message as soon as it is decrypted, and hands it over afterwards; the session's keys have
 *   advanced by then, so it cannot be decrypted again. Here it is stored in one step with those keys.
 * - Baileys sends in one long transaction: it reads a session at the beginning, and writes it after the message is
 *   sent. That overwrites what was decrypted meanwhile, and a crash in between uses a key twice. Here each change of a
 *   session is a step of its own, and on disk before its message is sent.
 */
export class KeepingRepository {
  readonly #keep: (message: WAMessage) => void;
  readonly #own: () => OwnIds;
  readonly #lock = new SessionLock();
  readonly #decrypting = new AsyncLocalStorage<true>();
  /** The message that contained a ciphertext. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  #socket: WASocket | null = null;

  constructor(own: () => OwnIds, keep: (message: WAMessage) => void) {
    this.#own = own;
    this.#keep = keep;
  }

  /** Listens on each socket: the server's messages tell which one contained a ciphertext. */
  listen(socket: WASocket): void {
    this.#socket = socket;
    socket.ws.on("CB:message", (stanza: BinaryNode) => this.#note(stanza));
  }

  #note(stanza: BinaryNode): void {
    for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
      if (content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** Creates the sessions of a connection, whose keys are in `store`. */
  makeFor(store: SignalKeyStore): MakeRepository {
    return ({ creds, keys: transactional }, logger, pnToLid) => {
      const keys = this.#keysOf(store, withTransactions(transactional));
      const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, logger, pnToLid);
      const { decryptMessage, decryptGroupMessage } = repository;
      const keeping = (cipher: Uint8Array, queue: string, decrypt: () => Promise<Uint8Array>) =>
        this.#lock.run(() =>
          this.#decrypting.run(true, () =>
            keys.transaction(async () => {
              const plain = await decrypt();
              // If this fails, nothing of the session is stored, and the message can be decrypted again.
              this.#read(cipher, plain);
              return plain;
            }, queue),
          ),
        );
      return Object.assign(repository, {
        decryptMessage: (given: Parameters<typeof decryptMessage>[0]) =>
          keeping(given.ciphertext, given.jid, () => decryptMessage(given)),
        decryptGroupMessage: (given: Parameters<typeof decryptGroupMessage>[0]) =>
          keeping(given.msg, given.group, () => decryptGroupMessage(given)),
      });
    };
  }

  /** During decryption, the transaction's keys; else those on disk, one change after the other. */
  #keysOf(store: SignalKeyStore, transactional: SignalKeyStoreWithTransaction): SignalKeyStoreWithTransaction {
    const isDecrypting = () => this.#decrypting.getStore() === true;
    return {
      get: <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
        isDecrypting() ? transactional.get(type, ids) : store.get(type, ids),
      set: (data: SignalDataSet) => (isDecrypting() ? transactional.set(data) : store.set(data)),
      isInTransaction: () => true,
      transaction: <T>(work: () => Promise<T>, queue: string) =>
        isDecrypting() ? transactional.transaction(work, queue) : this.#lock.run(work),
    };
  }

  #read(cipher: Uint8Array, plain: Uint8Array): void {
    const stanza = this.#stanzas.get(cipher);
    if (stanza === undefined) return;
    const { id, lid } = this.#own();
    const { fullMessage } = decodeMessageNode(stanza, id, lid);
    const message = proto.Message.decode(unpadRandomMax16(plain));
    try {
      this.#keep({ ...fullMessage, message: message.deviceSentMessage?.message ?? message });
    } catch (error) {
      // Baileys treats it as undecryptable, asks the phone a few times, and then acknowledges it for good. Over a
      // closed connection it acknowledges nothing, and WhatsApp keeps the message for the next one.
      void this.#socket?.end(new Error("a message could not be written down", { cause: error }));
      throw error;
    }
  }
}

/** Narrows keys to those with transactions: Baileys passes such keys, but only part of its types say so. */
function withTransactions(keys: SignalKeyStore | SignalKeyStoreWithTransaction): SignalKeyStoreWithTransaction {
  if (!("transaction" in keys)) throw new Error("the keys know no transactions");
  return keys;
}

/** A re-entrant lock for changes of the Signal sessions. */
export class SessionLock {
  readonly #holder = new AsyncLocalStorage<{ isHeld: boolean }>();
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#holder.getStore()?.isHeld) return work();
    const hold = { isHeld: true };
    const result = this.#last
      .then(() => this.#holder.run(hold, work))
      .finally(() => {
        hold.isHeld = false;
      });
    this.#last = result.catch(() => {});
    return result;
  }
}
