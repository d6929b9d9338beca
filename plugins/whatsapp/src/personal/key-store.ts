import { KeptLines } from "@hermes/core";
import {
  BufferJSON,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from "@whiskeysockets/baileys";

/** The number of changes after which the file is compacted. */
const MOST_NEW_LINES = 2_000;

/** Keys by type and id; null for a deleted one. */
type Change = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The keys of the Signal sessions. Each transaction is one line of the file, so that no crash leaves an advanced
 * session with the key that it used up, or the reverse.
 */
export class KeyStore implements SignalKeyStore {
  readonly #file: KeptLines<Change>;
  readonly #values = new Map<string, Map<string, unknown>>();

  constructor(path: string) {
    this.#file = new KeptLines<Change>({
      path,
      clear: () => this.#values.clear(),
      apply: (change) => this.#apply(change),
      lines: () => Array.from(this.#values, ([type, values]) => ({ [type]: Object.fromEntries(values) })),
      mostNewLines: MOST_NEW_LINES,
      isDurable: true,
    });
  }

  get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]): Record<string, SignalDataTypeMap[T]> {
    const known = this.#values.get(type);
    const found = ids.filter((id) => known?.has(id)).map((id) => [id, revive(type, known?.get(id))] as const);
    return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
  }

  set(data: SignalDataSet): void {
    this.#file.append(JSON.parse(JSON.stringify(data, BufferJSON.replacer)) as Change);
  }

  close(): void {
    this.#file.close();
  }

  #apply(change: Change): void {
    for (const [type, values] of Object.entries(change)) {
      const known = this.#values.get(type) ?? new Map<string, unknown>();
      this.#values.set(type, known);
      for (const [id, value] of Object.entries(values)) {
        if (value === null) known.delete(id);
        else known.set(id, value);
      }
    }
  }
}

/** Copies a key, since callers may change it. */
function revive(type: keyof SignalDataTypeMap, json: unknown): unknown {
  const value: unknown = JSON.parse(JSON.stringify(json), BufferJSON.reviver);
  return type === "app-state-sync-key" ? proto.Message.AppStateSyncKeyData.fromObject(Object(value)) : value;
}
