import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeStore } from "@hermes/testing/store-kit";
import type { Clock } from "../../base/clock.ts";
import { openSqliteStore } from "./index.ts";

describeStore("the embedded store", async (parts) => {
  const folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  const open = (clock = parts.clock) => openSqliteStore({ ...parts, clock, file: join(folder, "hermes.db") });
  const first = await open();
  const opened = [first];
  const another = async (clock?: Clock) => {
    const store = await open(clock);
    opened.push(store);
    return store;
  };
  return {
    store: first,
    second: another,
    reopen: async (clock) => {
      for (const store of opened.splice(0)) await store.close();
      return another(clock);
    },
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
