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

/** Ids of the account itself. */
export interface OwnIds {
  readonly id: string;
  readonly lid: string;
}

/**
 * Baileys' Signal sessions, with two things put right that would lose messages:
 *
 * - Baileys tells WhatsApp that a message has come as soon as it is decrypted, and hands it over afterwards; the
 *   session's keys have moved on by then, so nobody can decrypt it again. Here it is kept in one step with those keys.
 * - Baileys sends in one long transaction: a session is read at its beginning and written after the message is out. What
 *   was decrypted meanwhile is forgotten then, and a crash in between uses a key twice. Here each change of a session is
 *   a step of its own, and on the disk before the message that it was made for goes out.
 */
export class KeepingRepository {
  readonly #keep: (message: WAMessage) => void;
  readonly #own: () => OwnIds;
  readonly #lock = new SessionLock();
  readonly #decrypting = new AsyncLocalStorage<true>();
  /** The message that a ciphertext stood in. */
  readonly #stanzas = new WeakMap<Uint8Array, BinaryNode>();
  #socket: WASocket | null = null;

  constructor(own: () => OwnIds, keep: (message: WAMessage) => void) {
    this.#own = own;
    this.#keep = keep;
  }

  /** To be told of each socket: what a ciphertext stood in is known from the message as it comes from the server. */
  listen(socket: WASocket): void {
    this.#socket = socket;
    socket.ws.on("CB:message", (stanza: BinaryNode) => this.#note(stanza));
  }

  #note(stanza: BinaryNode): void {
    for (const { content } of Array.isArray(stanza.content) ? stanza.content : []) {
      if (content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** Makes the sessions of a connection, whose keys are in `store`. */
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
              // Nothing of the session is stored when this fails: the message can be decrypted again.
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

  /** While something is decrypted, the keys of a transaction; else those on the disk, one change after the other. */
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
      // Baileys takes it for one that it could not decrypt, asks the phone a few times, and then confirms it for good.
      // Over a connection that is cut nothing is confirmed: WhatsApp keeps the message for the next one.
      void this.#socket?.end(new Error("a message could not be written down", { cause: error }));
      throw error;
    }
  }
}

/** Baileys gives keys that know transactions, and says so only in part of its types. */
function withTransactions(keys: SignalKeyStore | SignalKeyStoreWithTransaction): SignalKeyStoreWithTransaction {
  if (!("transaction" in keys)) throw new Error("the keys know no transactions");
  return keys;
}

/** Lets one thing at a time change the Signal sessions; what belongs to it runs within it. */
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
