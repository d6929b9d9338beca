import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import Database from "better-sqlite3";
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

test.skipIf(process.platform === "win32")(
  "a pipe in the place of the file that is touched holds nothing up",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
    const clock = createVirtualClock();
    execFileSync("mkfifo", [join(folder, "hermes.db-written")]);
    const parts = { ids: randomIds, probe: systemProcessProbe };
    const store = await openSqliteStore({ ...parts, file: join(folder, "hermes.db"), clock });
    let calls = 0;
    store.watch(() => calls++);
    await store.users.countRefused("pager", undefined);
    await new Promise(setImmediate);
    expect(calls).toBe(1);
    await store.close();
    rmSync(folder, { recursive: true });
  },
);

test("a file that cannot be looked at for a while is heard again afterwards", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  const away = `${folder}-away`;
  const clock = createVirtualClock();
  const parts = { ids: randomIds, probe: systemProcessProbe };
  const store = await openSqliteStore({ ...parts, file: join(folder, "hermes.db"), clock });
  const other = new Database(join(folder, "hermes.db"));
  let calls = 0;
  store.watch(() => calls++);
  renameSync(folder, away);
  // Whoever looks there gets ELOOP.
  symlinkSync(folder, folder);
  await clock.advance(2_000);
  rmSync(folder);
  renameSync(away, folder);
  await clock.advance(500);
  calls = 0;
  other.exec("CREATE TABLE noted (what)");
  await clock.advance(500);
  await new Promise(setImmediate);
  expect(calls).toBeGreaterThan(0);
  await expect(store.users.countRefused("pager", undefined)).resolves.not.toThrow();
  other.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

test("others are woken up for what is written last, before the store is closed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
  const parts = { ids: randomIds, probe: systemProcessProbe, file: join(folder, "hermes.db") };
  const store = await openSqliteStore({ ...parts, clock: createVirtualClock(5_000) });
  store.watch(() => {});
  await store.users.countRefused("pager", undefined);
  await store.close();
  expect(statSync(join(folder, "hermes.db-written")).mtimeMs).toBe(5_000);
  rmSync(folder, { recursive: true });
});
