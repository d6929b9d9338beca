import { KeyedQueue, type Logger } from "@hermes/core";
import {
  CollectStrategy,
  DecryptionSettings,
  DeviceId,
  DeviceLists,
  EncryptionAlgorithm,
  EncryptionSettings,
  HistoryVisibility,
  initAsync,
  KeysUploadRequest,
  MegolmDecryptionError,
  OlmMachine,
  RoomId,
  StoreHandle,
  TrustRequirement,
  UserId,
} from "@matrix-org/matrix-sdk-crypto-wasm";
import { type MatrixApi, quietLogger } from "../api.ts";
import { KeysLost } from "../errors.ts";
import type { RoomEncryption } from "../rooms.ts";
import type { CryptoRecords } from "../store/crypto-records.ts";
import type { Content, MatrixEvent, SyncResponse } from "../wire.ts";
import { openPersistedDatabases, type PersistedDatabases } from "./persisted-databases.ts";
import { sendRequest } from "./requests.ts";
import { knownDevice } from "./sign-device.ts";

export interface CryptoParts {
  readonly api: MatrixApi;
  readonly logger: Logger;
  readonly records: CryptoRecords;
  readonly userId: string;
  readonly deviceId: string;
}

export interface EncryptedRoom {
  readonly id: string;
  readonly encryption: RoomEncryption;
  /** Who gets the key: everybody in the room, and who is invited where they may read what was said before they came. */
  readonly readers: readonly string[];
}

/** An encrypted event as it was written; or, where there is no key for it, why. */
export type Decrypted =
  | { readonly isClear: true; readonly type: string; readonly content: Content }
  | { readonly isClear: false; readonly reason: string };

/**
 * End-to-end encryption for one device ("End-to-end encryption"), by the library's OlmMachine. Everything it changes is
 * in the file before a call of this class resolves, so no key is used twice after a crash.
 */
export class Crypto {
  readonly machine: OlmMachine;
  readonly #parts: CryptoParts;
  readonly #databases: PersistedDatabases;
  /** What the machine was told last of its keys at the server. */
  #keysAtServer = "";
  /**
   * What the machine wants sent goes out once, whoever asks for it. A key is shared and used before the next message is
   * encrypted; meanwhile requests go on: it may wait for them.
   */
  readonly #queue = new KeyedQueue<"outgoing" | "sealing">();

  private constructor(parts: CryptoParts, machine: OlmMachine, databases: PersistedDatabases) {
    this.#parts = parts;
    this.machine = machine;
    this.#databases = databases;
  }

  static async open(parts: CryptoParts): Promise<Crypto> {
    await initAsync();
    const databases = await openPersistedDatabases(parts.records);
    try {
      const logger = quietLogger(parts.logger);
      const store = await StoreHandle.open(databases.prefix, undefined, logger);
      const machine = await OlmMachine.initFromStore(
        new UserId(parts.userId),
        new DeviceId(parts.deviceId),
        store,
        logger,
      );
      store.free();
      machine.roomKeyRequestsEnabled = true;
      return new Crypto(parts, machine, databases);
    } catch (error) {
      databases.close();
      throw error;
    }
  }

  get identityKey(): string {
    return this.machine.identityKeys.ed25519.toBase64();
  }

  /** Whether the server was given the device's keys, as far as the library knows. */
  async hasPublished(): Promise<boolean> {
    const requests = await this.machine.outgoingRequests();
    return !requests.some(
      (request) => request instanceof KeysUploadRequest && "device_keys" in JSON.parse(request.body),
    );
  }

  /** Takes the keys out of a sync, and answers what other devices ask. */
  async receive(sync: SyncResponse): Promise<void> {
    const { changed = [], left = [] } = sync.device_lists ?? {};
    const users = (ids: readonly string[]) => ids.map((id) => new UserId(id));
    const { signed_curve25519: keysLeft } = sync.device_one_time_keys_count ?? {};
    // All used up, or the server knows nothing of the device: then more of them would be of no use to anybody.
    if (keysLeft === 0 && !(await this.#isKnown())) throw new KeysLost();
    const events = sync.to_device?.events ?? [];
    const fallback = sync.device_unused_fallback_key_types;
    const keysAtServer = JSON.stringify([sync.device_one_time_keys_count, fallback]);
    const isNews = events.length + changed.length + left.length > 0 || keysAtServer !== this.#keysAtServer;
    // Most syncs only bring messages. The machine goes through all of its own keys each time, which takes milliseconds.
    if (isNews) {
      await this.machine.receiveSyncChanges(
        JSON.stringify(events),
        new DeviceLists(users(changed), users(left)),
        new Map(Object.entries(sync.device_one_time_keys_count ?? {})),
        fallback ? new Set(fallback) : undefined,
      );
      this.#keysAtServer = keysAtServer;
    }
    this.#databases.check();
    await this.sendOutgoing();
  }

  /** Everybody's devices are to be asked for again before something is encrypted for them. */
  async doubtDevices(): Promise<void> {
    await this.machine.markAllTrackedUsersAsDirty();
  }

  async #isKnown(): Promise<boolean> {
    const { api, userId, deviceId } = this.#parts;
    return (await knownDevice(api, userId, deviceId)).identityKey !== undefined;
  }

  /** Sends what the machine wants sent: its keys, and questions for those of others. */
  sendOutgoing(): Promise<void> {
    return this.#queue.run("outgoing", async () => {
      for (const request of await this.machine.outgoingRequests()) await this.#send(request);
      this.#databases.check();
    });
  }

  /** What is to be sent instead of `content`, for those who are in the room now. */
  encrypt({ id, encryption, readers }: EncryptedRoom, type: string, content: Content): Promise<Content> {
    return this.#queue.run("sealing", async () => {
      const users = () => readers.map((reader) => new UserId(reader));
      await this.machine.updateTrackedUsers(users());
      await this.sendOutgoing();
      const claim = await this.machine.getMissingSessions(users());
      if (claim) await this.#send(claim);
      for (const share of await this.machine.shareRoomKey(new RoomId(id), users(), settingsFor(encryption))) {
        await this.#send(share);
      }
      const encrypted = await this.machine.encryptRoomEvent(new RoomId(id), type, JSON.stringify(content));
      this.#databases.check();
      return JSON.parse(encrypted) as Content;
    });
  }

  /** Reads an event. Where the key is missing, other devices of the account are asked for it. */
  async decrypt(roomId: string, event: MatrixEvent): Promise<Decrypted> {
    try {
      const settings = new DecryptionSettings(TrustRequirement.Untrusted);
      const clear = await this.machine.decryptRoomEvent(JSON.stringify(event), new RoomId(roomId), settings);
      const { type, content } = JSON.parse(clear.event) as { readonly type: string; readonly content: Content };
      return { isClear: true, type, content };
    } catch (error) {
      return { isClear: false, reason: reasonOf(error) };
    }
  }

  /** Called with the rooms for which keys have come. */
  onRoomKeys(take: (roomIds: ReadonlySet<string>) => void): void {
    this.machine.registerRoomKeyUpdatedCallback(async (keys) => {
      take(new Set(keys.map(({ roomId }) => roomId.toString())));
    });
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    await this.#queue.idle();
    this.machine.close();
    this.#databases.close();
  }

  #send(request: Parameters<typeof sendRequest>[2]): Promise<void> {
    return sendRequest(this.#parts.api, this.machine, request);
  }
}

function settingsFor({ rotationMs, rotationMessages, visibility }: RoomEncryption): EncryptionSettings {
  const settings = new EncryptionSettings();
  settings.algorithm = EncryptionAlgorithm.MegolmV1AesSha2;
  settings.historyVisibility = VISIBILITIES[visibility] ?? HistoryVisibility.Shared;
  // The library counts this one in microseconds.
  if (rotationMs !== undefined) settings.rotationPeriod = BigInt(Math.round(rotationMs * 1000));
  if (rotationMessages !== undefined) settings.rotationPeriodMessages = BigInt(Math.round(rotationMessages));
  // A bot has nobody who could verify devices for it: it writes to all that people have in the room.
  settings.sharingStrategy = CollectStrategy.deviceBasedStrategy(false, false);
  return settings;
}

const VISIBILITIES: Readonly<Record<string, HistoryVisibility>> = {
  invited: HistoryVisibility.Invited,
  joined: HistoryVisibility.Joined,
  shared: HistoryVisibility.Shared,
  world_readable: HistoryVisibility.WorldReadable,
};

/** Why an event could not be read, for people. */
function reasonOf(error: unknown): string {
  if (!(error instanceof MegolmDecryptionError)) return "it is encrypted in a way that Hermes does not know";
  switch (error.withheldCode) {
    case undefined:
      return "its key did not arrive";
    case "m.unverified":
      return "the sender's app gives keys to verified sessions only";
    case "m.blacklisted":
      return "the sender's app has blocked the bot's session";
    default:
      return "the sender's app withheld the key";
  }
}
