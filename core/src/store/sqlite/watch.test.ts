import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { systemProcessProbe } from "../../base/process-identity.ts";
import { openSqliteStore } from "./index.ts";

test("whoever listens for some rows is not called for other writes of this process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  const store = await openSqliteStore({
    ...{ file: join(folder, "hermes.db"), clock: createVirtualClock() },
    ...{ ids: randomIds, probe: systemProcessProbe },
  });
  const called: string[] = [];
  store.watch(() => called.push("handoffs"), ["handoffs"]);
  store.watch(() => called.push("all"));
  await store.users.countRefused("pager", undefined);
  await new Promise(setImmediate);
  expect(called).toEqual(["all"]);
  await store.close();
  rmSync(folder, { recursive: true });
});
