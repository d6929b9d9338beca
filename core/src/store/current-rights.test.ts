import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PlatformId } from "../adapter/identity.ts";
import { systemClock } from "../base/clock.ts";
import { randomIds } from "../base/ids.ts";
import type { NewGrants } from "../model/grants.ts";
import type { PlatformAuthor, TurnAuthor } from "../model/turn.ts";
import { currentRights, userOf } from "./current-rights.ts";
import { openSqliteStore } from "./sqlite/index.ts";
import type { Store } from "./store.ts";
import { accountLease } from "./work-stores.ts";

const ACCOUNT = { platform: "pager", account: undefined };
const GATEWAY = { id: "gateway", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;
const GRANTS: NewGrants = { ...ACCOUNT, operators: ["ada", "+1"], allowedUsers: ["bob"], allowedBots: [], home: null };
const ADA: PlatformAuthor = {
  ...{ ...ACCOUNT, senderId: "ada", aliases: [] },
  conversation: { platform: "pager", chatId: "9", kind: "group" },
};

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-rights-"));
  const probe = { fate: () => "alive" as const };
  store = await openSqliteStore({ file: join(folder, "hermes.db"), clock: systemClock, ids: randomIds, probe });
  await store.leases.acquire(accountLease("pager", undefined), GATEWAY, 15_000);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function mayUseTools(author: TurnAuthor | null): Promise<boolean> {
  return (await currentRights(store, author)).mayDo("tool").ok;
}

it("somebody who is removed between two calls of their turn gets no further call", async () => {
  await store.grants.publish(GRANTS, GATEWAY);
  expect(await mayUseTools(ADA)).toBe(true);
  await store.grants.publish({ ...GRANTS, operators: [] }, GATEWAY);
  expect((await currentRights(store, ADA)).mayDo("tool")).toEqual({
    ok: false,
    reason: "only an operator's words may use tools",
  });
});

it("a role that is taken between two calls of a turn ends its calls", async () => {
  await store.grants.publish({ ...GRANTS, operators: [] }, GATEWAY);
  const { id } = await store.people.add({ name: "Ada", role: "operator" });
  await store.people.link({ ...ACCOUNT, key: "ada" }, id, "code", null);
  expect(await mayUseTools(ADA)).toBe(true);
  await store.people.setRole(id, "member");
  expect(await mayUseTools(ADA)).toBe(false);
  await store.people.setRole(id, "operator");
  expect(await mayUseTools(ADA)).toBe(true);
  await store.people.unlink({ ...ACCOUNT, key: "ada" });
  expect(await mayUseTools(ADA)).toBe(false);
});

it("words are a person's at each of their accounts, and of an unlinked one its own", async () => {
  const { id } = await store.people.add({ name: "Ada", role: "member" });
  const elsewhere = { ...ADA, platform: "beacon", account: "work", senderId: "u7", person: "ada@hs" };
  expect(await Promise.all([ADA, elsewhere].map((author) => userOf(store, author)))).toEqual([
    "pager:ada",
    "beacon@work:ada%40hs",
  ]);
  await store.people.link({ ...ACCOUNT, key: "ada" }, id, "code", null);
  await store.people.link({ platform: "beacon", account: "work", key: "ada@hs" }, id, "code", null);
  expect(await Promise.all([ADA, elsewhere].map((author) => userOf(store, author)))).toEqual([id, id]);
  expect(await userOf(store, { ...ADA, isBot: true })).toBe("pager:ada");
  expect(await userOf(store, "terminal")).toBe("operator");
});

it("nobody on a platform that no gateway serves may use tools", async () => {
  const reason = "no gateway that serves pager says at the moment who may do that";
  expect((await currentRights(store, ADA)).mayDo("tool")).toEqual({ ok: false, reason });
  await store.grants.publish(GRANTS, GATEWAY);
  await store.leases.release(accountLease("pager", undefined), GATEWAY);
  expect((await currentRights(store, ADA)).mayDo("tool")).toEqual({ ok: false, reason });
});

it("a person who loses the listed number between two calls gets no further call", async () => {
  await store.grants.publish(GRANTS, GATEWAY);
  const note = async (strong: string) => {
    const ids: PlatformId[] = [
      { id: "+1", strength: "weak" },
      { id: strong, strength: "strong" },
    ];
    return store.identities.note(ACCOUNT, { ids, keys: [strong], word: "message", keep: true });
  };
  const author = { ...ADA, senderId: "uuid-1", aliases: ["+1"], person: (await note("uuid-1")).key };
  expect(await mayUseTools(author)).toBe(true);
  await note("uuid-2");
  expect(await mayUseTools(author)).toBe(false);
});

it("a turn of the terminal needs no gateway to use tools, one of nobody uses none", async () => {
  expect(await mayUseTools("terminal")).toBe(true);
  expect(await mayUseTools(null)).toBe(false);
});
