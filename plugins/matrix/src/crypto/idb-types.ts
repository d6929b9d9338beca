/** The parts of IndexedDB that are used here; Node has no types for it. */
export interface IdbRequest<T = unknown> {
  readonly result: T;
  readonly error: Error | null;
  addEventListener(type: string, listener: () => void): void;
}

interface IdbOpenRequest extends IdbRequest<IdbDatabase> {
  readonly transaction: IdbTransaction | null;
}

export interface IdbFactory {
  open(name: string, version?: number): IdbOpenRequest;
  deleteDatabase(name: string): IdbRequest;
}

export interface IdbDatabase {
  readonly name: string;
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  transaction(names: string | Iterable<string>, mode?: string, options?: unknown): IdbTransaction;
  createObjectStore(
    name: string,
    options: { keyPath: string | string[] | null; autoIncrement: boolean },
  ): IdbObjectStore;
  close(): void;
}

export interface IdbTransaction {
  readonly mode: string;
  readonly error: Error | null;
  objectStore(name: string): IdbObjectStore;
  addEventListener(type: string, listener: () => void): void;
}

export interface IdbObjectStore {
  readonly name: string;
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  index(name: string): IdbIndex;
  createIndex(name: string, keyPath: string | string[], options: { unique: boolean; multiEntry: boolean }): IdbIndex;
  put(value: unknown, key?: unknown): IdbRequest;
  add(value: unknown, key?: unknown): IdbRequest;
  delete(key: unknown): IdbRequest;
  clear(): IdbRequest;
  openCursor(...args: unknown[]): IdbRequest;
  getAll(): IdbRequest<unknown[]>;
  getAllKeys(): IdbRequest<unknown[]>;
}

interface IdbIndex {
  readonly name: string;
  readonly keyPath: string | string[];
  readonly unique: boolean;
  readonly multiEntry: boolean;
  openCursor(...args: unknown[]): IdbRequest;
}

/** Resolves with what a request gives. */
export function resultOf<T>(request: IdbRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("IndexedDB failed")));
  });
}

/** Resolves when a transaction is through. */
export function ended(transaction: IdbTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener("complete", () => resolve());
    for (const type of ["abort", "error"]) {
      transaction.addEventListener(type, () => reject(transaction.error ?? new Error("IndexedDB failed")));
    }
  });
}
