import { randomUUID } from "node:crypto";
import { KeysNotKept } from "../errors.ts";
import type { CryptoRecord, CryptoRecords, DatabaseShape, StoreShape } from "../store/crypto-records.ts";
import { ended, type IdbDatabase, type IdbFactory, type IdbObjectStore, resultOf } from "./idb-types.ts";
import { writeThrough } from "./write-through.ts";

/** Databases of one adapter: what is written to them is in the file before the one who writes hears of it. */
export interface PersistedDatabases {
  /** What the names of these databases begin with. */
  readonly prefix: string;
  /** Throws KeysNotKept when a change could not be written to the file: what is in memory must not be used any more. */
  check(): void;
  /** Forgets what is in memory. */
  close(): void;
}

interface Owner {
  readonly records: CryptoRecords;
  readonly names: Set<string>;
  failure: unknown;
}

/** By the prefix of their databases. Node has one IndexedDB, if any; several accounts share it. */
const owners = new Map<string, Owner>();

let installed: Promise<IdbFactory> | null = null;

/**
 * Gives the encryption library an IndexedDB, which it keeps its keys in and which Node does not have: one in memory,
 * filled from `records`, and written through to them.
 */
export async function openPersistedDatabases(records: CryptoRecords): Promise<PersistedDatabases> {
  installed ??= install();
  const factory = await installed;
  const prefix = `hermes-${randomUUID()}`;
  const owner: Owner = { records, names: new Set(), failure: null };
  for (const [name, shape] of records.shapes()) await restore(factory, prefix + name, shape, records.records(name));
  owners.set(prefix, owner);
  return {
    prefix,
    check() {
      if (owner.failure !== null) throw new KeysNotKept(owner.failure);
    },
    close() {
      owners.delete(prefix);
      for (const name of owner.names) factory.deleteDatabase(name);
    },
  };
}

/** Puts an IndexedDB into the globals, where the library looks for it. */
async function install(): Promise<IdbFactory> {
  const { default: _, indexedDB, forceCloseDatabase: __, ...classes } = await import("fake-indexeddb");
  const factory = indexedDB as unknown as IdbFactory;
  const open = factory.open.bind(factory);
  factory.open = (name, version) => {
    const request = open(name, version);
    const found = ownerOf(name);
    if (found === null) return request;
    let isUpgraded = false;
    request.addEventListener("upgradeneeded", () => {
      isUpgraded = true;
    });
    request.addEventListener("success", () => attach(request.result, found, isUpgraded));
    return request;
  };
  // The library checks that what it is given is of these classes.
  Object.assign(globalThis, classes, { indexedDB: factory });
  return factory;
}

interface Found {
  readonly owner: Owner;
  /** The name without the prefix. */
  readonly name: string;
}

function ownerOf(fullName: string): Found | null {
  for (const [prefix, owner] of owners) {
    if (!fullName.startsWith(prefix)) continue;
    owner.names.add(fullName);
    return { owner, name: fullName.slice(prefix.length) };
  }
  return null;
}

function attach(database: IdbDatabase, { owner, name }: Found, isUpgraded: boolean): void {
  const fail = (error: unknown) => {
    owner.failure ??= error;
  };
  const saveAll = () => {
    // Requested before any other write, so it reads the present state.
    dump(database)
      .then(({ shape, records }) => owner.records.replace(name, shape, records))
      .catch(fail);
  };
  if (isUpgraded) saveAll();
  writeThrough(database, {
    saveAll,
    save(changes) {
      try {
        owner.records.apply(name, changes);
      } catch (error) {
        fail(error);
      }
    },
  });
}

async function restore(
  factory: IdbFactory,
  fullName: string,
  { version, stores }: DatabaseShape,
  records: readonly CryptoRecord[],
): Promise<void> {
  const request = factory.open(fullName, version);
  request.addEventListener("upgradeneeded", () => {
    for (const shape of stores) build(request.result, shape);
  });
  const database = await resultOf(request);
  const names = [...database.objectStoreNames];
  if (names.length > 0) {
    const transaction = database.transaction(names, "readwrite");
    for (const { store, key, value } of records) {
      const target = transaction.objectStore(store);
      target.put(value, target.keyPath === null ? key : undefined);
    }
    await ended(transaction);
  }
  database.close();
}

function build(database: IdbDatabase, { name, keyPath, autoIncrement, indexes }: StoreShape): void {
  const store = database.createObjectStore(name, { keyPath, autoIncrement });
  for (const index of indexes) {
    store.createIndex(index.name, index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
  }
}

async function dump(database: IdbDatabase): Promise<{ shape: DatabaseShape; records: CryptoRecord[] }> {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return { shape: { version: database.version, stores: [] }, records: [] };
  const transaction = database.transaction(names, "readonly");
  const stores = names.map((name) => transaction.objectStore(name));
  const shape = { version: database.version, stores: stores.map(shapeOf) };
  const read = stores.map(async (store) => {
    const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
    return keys.map((key, at) => ({ store: store.name, key, value: values[at] }));
  });
  return { shape, records: (await Promise.all(read)).flat() };
}

function shapeOf(store: IdbObjectStore): StoreShape {
  const { name, keyPath, autoIncrement } = store;
  const indexes = [...store.indexNames].map((indexName) => {
    const { keyPath: path, unique, multiEntry } = store.index(indexName);
    return { name: indexName, keyPath: path, unique, multiEntry };
  });
  return { name, keyPath, autoIncrement, indexes };
}
