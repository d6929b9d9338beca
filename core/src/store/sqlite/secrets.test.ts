import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { everyColumnOf } from "@hermes/testing";
import { Kit } from "@hermes/testing/store-kit/kit";
import { plantSecrets } from "@hermes/testing/store-kit/plant-secrets";
import { KNOWN_SECRET, LOOKALIKE_FRAGMENT, SECRET_FRAGMENT } from "@hermes/testing/store-kit/secret-rows";
import { expect, test } from "vitest";
import { createRowRedaction } from "../../base/row-redaction.ts";
import { openSqliteStore } from "./index.ts";

test("a secret passed to every call of the store is in no column of its file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hermes-store-"));
  const file = join(folder, "hermes.db");
  const kit = await Kit.open(async (parts) => {
    const store = await openSqliteStore({ ...parts, file, redaction: createRowRedaction([KNOWN_SECRET]) });
    const unused = () => Promise.reject(new Error("not needed here"));
    return { store, reopen: unused, second: unused, dispose: () => store.close() };
  });
  try {
    await plantSecrets(kit, kit.store);
    const { values, empty } = everyColumnOf(file);
    // A column that was never written proves nothing: the kit lacks a call that writes it.
    expect(empty).toEqual([]);
    const leaks = (fragment: string) => values.filter(({ value }) => value.toLowerCase().includes(fragment));
    expect(leaks("[redacted]")).not.toEqual([]);
    expect(leaks("redacted~")).not.toEqual([]);
    expect(leaks(SECRET_FRAGMENT)).toEqual([]);
    expect(leaks(LOOKALIKE_FRAGMENT)).toEqual([]);
  } finally {
    await kit.dispose();
    await rm(folder, { recursive: true });
  }
});
