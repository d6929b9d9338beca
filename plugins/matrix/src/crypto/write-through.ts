import type { RecordChange } from "../store/crypto-records.ts";
import type { IdbDatabase, IdbObjectStore, IdbRequest, IdbTransaction } from "./idb-types.ts";

export interface WriteThrough {
  /** Takes what a transaction has changed. The one who made it hears of its end afterwards. */
  save(changes: readonly RecordChange[]): void;
  /** Takes everything anew, where a transaction may have changed what was not seen. */
  saveAll(): void;
}

/** Lets every change of a database be seen, transaction by transaction. */
export function writeThrough(database: IdbDatabase, to: WriteThrough): void {
  const begin = database.transaction.bind(database);
  database.transaction = (...args) => {
    const transaction = begin(...args);
    if (transaction.mode === "readwrite") observe(transaction, to);
    return transaction;
  };
}

function observe(transaction: IdbTransaction, to: WriteThrough): void {
  const changes: RecordChange[] = [];
  const seen = new Set<IdbObjectStore>();
  let isUnclear = false;
  const find = transaction.objectStore.bind(transaction);
  transaction.objectStore = (name) => {
    const store = find(name);
    if (seen.has(store)) return store;
    seen.add(store);
    // A cursor changes records on its way.
    observeStore(store, changes, () => {
      isUnclear = true;
    });
    return store;
  };
  // The first listener: whoever waits for the transaction comes behind it.
  transaction.addEventListener("complete", () => {
    if (isUnclear) to.saveAll();
    else if (changes.length > 0) to.save(changes);
  });
}

function observeStore(store: IdbObjectStore, changes: RecordChange[], becomesUnclear: () => void): void {
  const { name } = store;
  const note = (request: IdbRequest, change: () => RecordChange) => {
    request.addEventListener("success", () => changes.push(change()));
    return request;
  };
  for (const method of ["put", "add"] as const) {
    const write = store[method].bind(store);
    store[method] = (value, ...key) => {
      const copy: unknown = structuredClone(value);
      const request = write(value, ...key);
      return note(request, () => ({ kind: "put", store: name, key: request.result, value: copy }));
    };
  }
  const remove = store.delete.bind(store);
  store.delete = (key) => {
    if (isRange(key)) becomesUnclear();
    const copy: unknown = isRange(key) ? null : structuredClone(key);
    return note(remove(key), () => ({ kind: "delete", store: name, key: copy }));
  };
  const clear = store.clear.bind(store);
  store.clear = () => note(clear(), () => ({ kind: "clear", store: name }));
  const openCursor = store.openCursor.bind(store);
  store.openCursor = (...args) => {
    becomesUnclear();
    return openCursor(...args);
  };
  const index = store.index.bind(store);
  store.index = (indexName) => {
    const found = index(indexName);
    const open = found.openCursor.bind(found);
    found.openCursor = (...args) => {
      becomesUnclear();
      return open(...args);
    };
    return found;
  };
}

function isRange(key: unknown): boolean {
  return typeof key === "object" && key !== null && "lower" in key;
}
