import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "@hermes/testing";
import { openSqliteStore } from "./index.ts";

describeStore("the embedded store", async (parts) => {
  const folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  const open = () => openSqliteStore({ ...parts, file: join(folder, "hermes.db") });
  const first = await open();
  const opened = [first];
  const another = async () => {
    const store = await open();
    opened.push(store);
    return store;
  };
  return {
    store: first,
    second: another,
    reopen: async () => {
      for (const store of opened.splice(0)) await store.close();
      return another();
    },
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
