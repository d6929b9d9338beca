import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BotStore } from "../store/bot-store.ts";
import { ended, type IdbDatabase, type IdbFactory, resultOf } from "./idb-types.ts";
import { openPersistedDatabases, type PersistedDatabases } from "./persisted-databases.ts";

let folder: string;
let store: BotStore;
let databases: PersistedDatabases;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-matrix-"));
  store = new BotStore(folder);
  databases = await openPersistedDatabases(store.crypto);
});
afterEach(() => {
  databases.close();
  store.close();
  rmSync(folder, { recursive: true });
});

/** As another process would: with nothing but the file. */
async function reopen(): Promise<void> {
  databases.close();
  store.close();
  store = new BotStore(folder);
  databases = await openPersistedDatabases(store.crypto);
}

async function open(): Promise<IdbDatabase> {
  const { indexedDB } = globalThis as unknown as { readonly indexedDB: IdbFactory };
  const request = indexedDB.open(`${databases.prefix}::keys`, 3);
  request.addEventListener("upgradeneeded", () => {
    if ([...request.result.objectStoreNames].length > 0) return;
    const sessions = request.result.createObjectStore("sessions", { keyPath: null, autoIncrement: false });
    sessions.createIndex("room", "room", { unique: false, multiEntry: false });
    request.result.createObjectStore("account", { keyPath: "id", autoIncrement: false });
  });
  return resultOf(request);
}

async function change(work: (database: IdbDatabase) => ReturnType<IdbDatabase["transaction"]>): Promise<void> {
  await ended(work(await open()));
}

async function everything(): Promise<unknown> {
  const database = await open();
  const transaction = database.transaction(["account", "sessions"], "readonly");
  const of = async (name: string) => {
    const found = transaction.objectStore(name);
    return [await resultOf(found.getAllKeys()), await resultOf(found.getAll())];
  };
  const [account, sessions] = await Promise.all([of("account"), of("sessions")]);
  return { account, sessions };
}

const bytes = new Uint8Array([1, 2, 3]);

describe("a database of keys", () => {
  it("the next process finds what was written, record by record and with its indexes", async () => {
    await change((database) => {
      const transaction = database.transaction(["account", "sessions"], "readwrite");
      transaction.objectStore("account").put({ id: "me", bytes });
      transaction.objectStore("sessions").put({ room: "!a", value: [1, "two"] }, ["!a", 1]);
      transaction.objectStore("sessions").put({ room: "!b" }, "b");
      return transaction;
    });
    await change((database) => {
      const transaction = database.transaction("sessions", "readwrite");
      transaction.objectStore("sessions").delete("b");
      transaction.objectStore("sessions").put({ room: "!c" }, "c");
      return transaction;
    });
    const before = await everything();
    await reopen();
    expect(await everything()).toEqual(before);
    expect(before).toEqual({
      account: [["me"], [{ id: "me", bytes }]],
      sessions: [
        ["c", ["!a", 1]],
        [{ room: "!c" }, { room: "!a", value: [1, "two"] }],
      ],
    });
    const sessions = (await open()).transaction("sessions", "readonly").objectStore("sessions");
    expect([...sessions.indexNames]).toEqual(["room"]);
  });

  it("a change of keys is on disk before its transaction completes", async () => {
    await change((database) => {
      const transaction = database.transaction("account", "readwrite");
      transaction.objectStore("account").put({ id: "me" });
      return transaction;
    });
    expect(store.crypto.records("::keys")).toEqual([{ store: "account", key: "me", value: { id: "me" } }]);
  });

  it("forgets what was cleared", async () => {
    await change((database) => {
      const transaction = database.transaction("account", "readwrite");
      transaction.objectStore("account").put({ id: "me" });
      transaction.objectStore("account").clear();
      transaction.objectStore("account").put({ id: "you" });
      return transaction;
    });
    await reopen();
    expect(await everything()).toMatchObject({ account: [["you"], [{ id: "you" }]] });
  });

  it("the key store refuses changes of a process that was superseded", async () => {
    await open();
    const next = new BotStore(folder);
    const database = await open();
    const transaction = database.transaction("account", "readwrite");
    transaction.objectStore("account").put({ id: "old" });
    await ended(transaction);
    expect(() => databases.check()).toThrow("another gateway has taken over the bot's keys");
    expect(next.crypto.records("::keys")).toEqual([]);
    expect(() => store.commit("s1", new Map())).toThrow("another gateway");
    next.close();
  });

  it("the key store is unusable once a change could not be written", async () => {
    databases.check();
    const database = await open();
    store.close();
    const transaction = database.transaction("account", "readwrite");
    transaction.objectStore("account").put({ id: "me" });
    await ended(transaction);
    expect(() => databases.check()).toThrow();
    store = new BotStore(folder);
  });
});
