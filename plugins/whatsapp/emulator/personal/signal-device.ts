import {
  type AuthenticationCreds,
  addTransactionCapability,
  DEFAULT_CONNECTION_CONFIG,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalRepositoryWithLIDStore,
  unpadRandomMax16,
  writeRandomPadMax16,
} from "@whiskeysockets/baileys";
import { keepSessionsWhole, silenceLibsignal } from "#src/personal/libsignal";

/** Baileys' parts want a logger; those of the emulator have nothing to say to anybody. */
const quietLogger = {
  level: "silent",
  child: () => quietLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
};

silenceLibsignal();
keepSessionsWhole();

/** What a server hands out so that somebody can begin to write to a device ("Signal: X3DH"). */
export interface KeyBundle {
  readonly registrationId: number;
  /** All public keys without the byte that names their kind. */
  readonly identity: Uint8Array;
  readonly signed: { readonly id: number; readonly key: Uint8Array; readonly signature: Uint8Array };
  readonly oneTime: { readonly id: number; readonly key: Uint8Array } | null;
}

/** What stands in an `enc` node. */
export interface Encrypted {
  readonly type: "pkmsg" | "msg" | "skmsg";
  readonly bytes: Uint8Array;
}

/** The byte before a public key that says that it is one of Curve25519. */
const KEY_KIND = Buffer.from([5]);

/** A phone, or another device, of a person of the emulator: with Signal keys and sessions of its own. */
export class SignalDevice {
  /** `<lid>[:<device>]@lid`: the address by which sessions with it are kept. */
  readonly jid: string;
  readonly creds: AuthenticationCreds = initAuthCreds();
  readonly #repository: SignalRepositoryWithLIDStore;
  readonly #keys = memoryKeys();
  /** Devices with which it has a session. */
  readonly #known = new Set<string>();

  constructor(jid: string) {
    this.jid = jid;
    const keys = addTransactionCapability(this.#keys, quietLogger, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
    this.#repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds: this.creds, keys }, quietLogger);
  }

  /** Without a one-time key: a signed one is enough to begin with. */
  get bundle(): KeyBundle {
    const { registrationId, signedIdentityKey, signedPreKey } = this.creds;
    const { keyId: id, keyPair, signature } = signedPreKey;
    const signed = { id, key: keyPair.public, signature };
    return { registrationId, identity: signedIdentityKey.public, signed, oneTime: null };
  }

  /** Encrypts for a device; `bundleOf` is asked for its keys when this is the first time. */
  async encryptFor(jid: string, message: proto.IMessage, bundleOf: () => KeyBundle): Promise<Encrypted> {
    if (!this.#known.has(jid)) await this.#begin(jid, bundleOf());
    const { type, ciphertext } = await this.#repository.encryptMessage({ jid, data: padded(message) });
    return { type, bytes: ciphertext };
  }

  /** Encrypts for a group, and gives the key that its members need for it. */
  async encryptForGroup(
    group: string,
    message: proto.IMessage,
  ): Promise<{ readonly encrypted: Encrypted; readonly senderKey: proto.IMessage }> {
    const { ciphertext, senderKeyDistributionMessage } = await this.#repository.encryptGroupMessage({
      group,
      data: padded(message),
      meId: this.jid,
    });
    const item = { groupId: group, axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage };
    return {
      encrypted: { type: "skmsg", bytes: ciphertext },
      senderKey: { senderKeyDistributionMessage: item },
    };
  }

  /** Decrypts what a device sent. */
  async decrypt(from: string, { type, bytes }: Encrypted, group?: string): Promise<proto.IMessage> {
    const plain =
      type === "skmsg"
        ? await this.#repository.decryptGroupMessage({ group: group ?? "", authorJid: from, msg: bytes })
        : await this.#repository.decryptMessage({ jid: from, type, ciphertext: bytes });
    if (type === "pkmsg") this.#known.add(from);
    const message = proto.Message.decode(unpadRandomMax16(plain));
    const item = message.senderKeyDistributionMessage;
    if (item) await this.#repository.processSenderKeyDistributionMessage({ item, authorJid: from });
    return message;
  }

  /** Forgets its session with a device, as after a new installation. */
  forget(jid: string): void {
    this.#known.delete(jid);
  }

  async #begin(jid: string, { registrationId, identity, signed, oneTime }: KeyBundle): Promise<void> {
    const preKey = oneTime === null ? {} : { preKey: { keyId: oneTime.id, publicKey: kinded(oneTime.key) } };
    const signedPreKey = { keyId: signed.id, publicKey: kinded(signed.key), signature: signed.signature };
    const session = { registrationId, identityKey: kinded(identity), signedPreKey, ...preKey };
    await this.#repository.injectE2ESession({ jid, session });
    this.#known.add(jid);
  }
}

function kinded(key: Uint8Array): Uint8Array {
  return Buffer.concat([KEY_KIND, key]);
}

function padded(message: proto.IMessage): Uint8Array {
  return writeRandomPadMax16(proto.Message.encode(message).finish());
}

function memoryKeys(): SignalKeyStore {
  const all = new Map<string, unknown>();
  return {
    get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found = ids.flatMap((id) => (all.has(`${type} ${id}`) ? [[id, all.get(`${type} ${id}`)]] : []));
      return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
    },
    set(data: SignalDataSet) {
      for (const [type, values] of Object.entries(data)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value === null) all.delete(`${type} ${id}`);
          else all.set(`${type} ${id}`, value);
        }
      }
    },
  };
}
