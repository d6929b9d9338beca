import {
  BufferJSON,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from "@whiskeysockets/baileys";
import { LineFile } from "./line-file.ts";

/** The file is written anew when it has this many lines more than keys are worth keeping. */
const MOST_EXTRA_LINES = 2_000;

type Change = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * The keys of the Signal sessions. What belongs together is written as one line: a session that has moved on without
 * the key that it used up, or the other way round, can never be found after a crash.
 */
export class KeyStore implements SignalKeyStore {
  readonly #file: LineFile;
  /** As JSON: whoever gets a key may change what they got. */
  readonly #values = new Map<string, Map<string, string>>();
  #extraLines = 0;

  constructor(path: string) {
    this.#file = new LineFile(path);
    for (const change of this.#file.read()) this.#apply(change as Change);
    this.#compact();
  }

  get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]): Record<string, SignalDataTypeMap[T]> {
    const known = this.#values.get(type);
    const found = ids.flatMap((id) => {
      const json = known?.get(id);
      return json === undefined ? [] : [[id, revive(type, json)] as const];
    });
    return Object.fromEntries(found) as Record<string, SignalDataTypeMap[T]>;
  }

  set(data: SignalDataSet): void {
    const json = JSON.stringify(data, BufferJSON.replacer);
    this.#file.append(json);
    this.#apply(JSON.parse(json) as Change);
    if (++this.#extraLines > MOST_EXTRA_LINES) this.#compact();
  }

  close(): void {
    this.#file.close();
  }

  #apply(change: Change): void {
    for (const [type, values] of Object.entries(change)) {
      const known = this.#values.get(type) ?? new Map<string, string>();
      this.#values.set(type, known);
      for (const [id, value] of Object.entries(values)) {
        if (value === null) known.delete(id);
        else known.set(id, JSON.stringify(value));
      }
    }
  }

  #compact(): void {
    const lines = [...this.#values].map(([type, values]) => {
      const fields = [...values].map(([id, json]) => `${JSON.stringify(id)}:${json}`);
      return `{${JSON.stringify(type)}:{${fields.join(",")}}}`;
    });
    this.#file.replace(lines);
    this.#extraLines = 0;
  }
}

function revive(type: keyof SignalDataTypeMap, json: string): unknown {
  const value: unknown = JSON.parse(json, BufferJSON.reviver);
  return type === "app-state-sync-key" ? proto.Message.AppStateSyncKeyData.fromObject(Object(value)) : value;
}
