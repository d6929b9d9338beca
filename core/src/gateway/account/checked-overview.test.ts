import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { systemClock } from "../../base/clock.ts";
import { randomIds } from "../../base/ids.ts";
import { silentLogger } from "../../base/logger.ts";
import { newCode, readCode } from "../../model/code.ts";
import type { NewGrants } from "../../model/grants.ts";
import { homeOf } from "../../model/place.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";
import type { OverviewAction, OverviewQuery, Visitor } from "../../plugin/operator-overview.ts";
import { openSqliteStore } from "../../store/sqlite/index.ts";
import type { Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { CheckedOverview } from "./checked-overview.ts";

const SCOPE = { platform: "pager", account: undefined };
const GATEWAY = { id: "gateway", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;
const CONFIG = { path: null, plugins: [] };
const HOME: Conversation = { platform: "pager", chatId: "7", kind: "dm" };
const KEY = buildSessionKey(HOME);
const GRANTS: NewGrants = { ...SCOPE, operators: ["ada"], allowedUsers: ["bob"], allowedBots: ["bot"], home: null };

const visitor = (id: string, conversation = HOME, isBot = false): Visitor => ({
  conversation,
  sender: { id, isBot },
});
const ADA = visitor("ada");
const REFUSED = expect.objectContaining({ code: "OVERVIEW_REFUSED" });

let folder: string;
let store: Store;
let overview: CheckedOverview;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-overview-"));
  const probe = { fate: () => "alive" as const };
  const parts = { clock: systemClock, ids: randomIds, probe };
  store = await openSqliteStore({ file: join(folder, "hermes.db"), ...parts });
  overview = new CheckedOverview({ store, ...parts, config: CONFIG, logger: silentLogger }, SCOPE);
  await store.leases.acquire(accountLease("pager", undefined), GATEWAY, 15_000);
  await store.grants.publish(GRANTS, GATEWAY);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** A message that the platform has refused. */
async function refused(text: string): Promise<string> {
  const message = { kind: "answer", markdown: text } as const;
  const [row] = await store.outbox.enqueue([{ key: KEY, conversation: HOME, message }]);
  if (row === undefined) throw new Error("nothing was queued");
  const error = { code: "PLATFORM_FORBIDDEN", text: "Pager does not permit it." } as const;
  await store.outbox.settleSend(row.id, { kind: "failed", error });
  return row.id;
}

const QUERIES: readonly OverviewQuery[] = [
  { of: "status" },
  { of: "sessions", limit: 5 },
  { of: "session", id: "ses_1" },
  { of: "handoffs", limit: 5 },
  { of: "deliveries", limit: 5 },
  { of: "approvals" },
  { of: "lanes", limit: 5 },
  { of: "leases" },
  { of: "passes" },
  { of: "people" },
  { of: "requests" },
  { of: "places" },
];

const ACTIONS: readonly OverviewAction[] = [
  { do: "retry-delivery", id: "out_1" },
  { do: "drop-delivery", id: "out_1" },
  { do: "cancel-handoff", id: "hof_1" },
  { do: "allow", code: "k3mxp" },
  { do: "answer", code: "k3mxp", answer: "1" },
  { do: "deny", code: "k3mxp" },
  { do: "revoke-pass", number: 1 },
  { do: "hand-off", id: "ses_1", to: "pager", yes: true },
  { do: "unlink", platform: "pager", account: null, key: "ada" },
  { do: "add-person", name: "Carl", role: "operator" },
  { do: "rename-person", id: OPERATOR, name: "Carl" },
  { do: "set-role", id: "per_1", role: "operator" },
  { do: "remove-person", id: "per_1" },
  { do: "make-link-code", id: OPERATOR },
  { do: "settle-link", number: 1, isThem: true },
  { do: "let-in", number: 1 },
  { do: "turn-away", number: 1 },
];

describe("the operator's overview", () => {
  const others: readonly (readonly [string, Visitor])[] = [
    ["somebody who may only talk to the agent", visitor("bob")],
    ["a stranger", visitor("eve")],
    ["a bot", visitor("bot", HOME, true)],
    ["a bot that has the operator's id", visitor("ada", HOME, true)],
    ["the operator in a group", visitor("ada", { ...HOME, kind: "group" })],
    ["the same id on another platform", visitor("ada", { ...HOME, platform: "beeper" })],
  ];
  it.each(others)("refuses every document and every action to %s", async (_, other) => {
    expect(await overview.isFor(other)).toBe(false);
    for (const query of QUERIES) await expect(overview.read(other, query)).rejects.toEqual(REFUSED);
    for (const action of ACTIONS) await expect(overview.act(other, action)).rejects.toEqual(REFUSED);
  });

  it("refuses everything from the moment on at which somebody is no operator any more", async () => {
    expect(await overview.isFor(ADA)).toBe(true);
    const id = await refused("An answer.");
    await store.grants.publish({ ...GRANTS, operators: [] }, GATEWAY);
    expect(await overview.isFor(ADA)).toBe(false);
    await expect(overview.act(ADA, { do: "drop-delivery", id })).rejects.toEqual(REFUSED);
    await store.grants.publish(GRANTS, GATEWAY);
    await overview.act(ADA, { do: "drop-delivery", id });
    await store.leases.release(accountLease("pager", undefined), GATEWAY);
    await expect(overview.read(ADA, { of: "leases" })).rejects.toEqual(REFUSED);
  });

  it("a guest with a pass to the conversation sees nothing of it", async () => {
    const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const code = newCode();
    const pass = { kind: "pass", issuer: OPERATOR, person: null, who: null } as const;
    await store.codes.create({ ...pass, code, sessionId, ttlMs: 60_000 });
    const who = { ...SCOPE, key: "eve", id: "eve", name: null, conversation: HOME, surface: KEY };
    await store.codes.redeem({ code, who, user: null, messageId: "m1", mirrors: false, outbox: [] });
    expect((await store.grants.current(SCOPE))?.people.guests).toEqual([{ id: "eve", key: KEY }]);
    expect(await overview.isFor(visitor("eve"))).toBe(false);
    await expect(overview.read(visitor("eve"), { of: "sessions", limit: 5 })).rejects.toEqual(REFUSED);
  });

  it("an account that is linked to an operator sees it, until it is unlinked", async () => {
    const { id } = await store.people.add({ name: "Bob", role: "operator" });
    const bob = { ...SCOPE, key: "bob" };
    await store.people.link(bob, id, "terminal", null);
    expect(await overview.read(visitor("bob"), { of: "people" })).toMatchObject({ people: expect.any(Array) });
    // He takes it back from himself: the next request is refused.
    await overview.act(visitor("bob"), { do: "unlink", platform: "pager", account: null, key: "bob" });
    await expect(overview.read(visitor("bob"), { of: "people" })).rejects.toEqual(REFUSED);
  });

  it("an operator of another account of the platform is nobody here", async () => {
    const work = new CheckedOverview(
      { store, clock: systemClock, probe: { fate: () => "alive" }, config: CONFIG, logger: silentLogger },
      { platform: "pager", account: "work" },
    );
    expect(await work.isFor(ADA)).toBe(false);
    expect(await work.isFor({ ...ADA, conversation: { ...HOME, account: "private" } })).toBe(false);
  });

  it("reads each document as its command prints it", async () => {
    const { id } = await store.sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
    const delivery = await refused("An answer.");
    const read = (query: OverviewQuery) => overview.read(ADA, query);
    expect(await read({ of: "status" })).toMatchObject({ gateways: [], adapters: [], sessions: 1 });
    expect(await read({ of: "sessions", limit: 5, matching: "pla" })).toMatchObject({
      sessions: [{ id, title: "plan" }],
    });
    expect(await read({ of: "session", id })).toMatchObject({
      id,
      places: [],
      state: null,
      handoffs: [],
      approvals: [],
    });
    expect(await read({ of: "handoffs", limit: 5 })).toEqual({ handoffs: [] });
    expect(await read({ of: "deliveries", limit: 5 })).toMatchObject({ deliveries: [{ deliveryId: delivery }] });
    expect(await read({ of: "approvals" })).toEqual({ approvals: [] });
    expect(await read({ of: "lanes", limit: 5 })).toEqual({ lanes: [], total: 0 });
    expect(await read({ of: "leases" })).toMatchObject({ leases: [{ kind: "account", name: "pager" }] });
    await expect(read({ of: "session", id: "ses_none" })).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  });

  it("sends a message again or drops it, and cancels a handoff that waits", async () => {
    const id = await refused("An answer.");
    expect(await overview.act(ADA, { do: "retry-delivery", id })).toMatchObject({ state: "waiting", isServed: false });
    await expect(overview.act(ADA, { do: "retry-delivery", id })).rejects.toMatchObject({ code: "DELIVERY_UNDER_WAY" });
    expect(await overview.act(ADA, { do: "drop-delivery", id })).toMatchObject({ state: "dropped" });
    await expect(overview.act(ADA, { do: "drop-delivery", id })).rejects.toMatchObject({ code: "DELIVERY_UNKNOWN" });
    const session = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const asked = await store.handoffs.requestHandoff(session.id, homeOf("pager"));
    const handoff = asked.ok ? asked.handoff.id : "";
    expect(await overview.act(ADA, { do: "cancel-handoff", id: handoff })).toMatchObject({ state: "failed" });
    await expect(overview.act(ADA, { do: "cancel-handoff", id: handoff })).rejects.toMatchObject({
      code: "HANDOFF_ENDED",
    });
  });

  it("changes people, and says what somebody lost", async () => {
    const act = (action: OverviewAction) => overview.act(ADA, action);
    const added = await act({ do: "add-person", name: "Bob", role: "operator" });
    const id = String(added.id) as UserId;
    expect(added).toMatchObject({ name: "Bob", role: "operator", identities: [] });
    await expect(act({ do: "add-person", name: "BOB", role: "member" })).rejects.toMatchObject({
      code: "PERSON_NAME_TAKEN",
    });
    expect(await act({ do: "rename-person", id, name: "Robert" })).toMatchObject({ name: "Robert" });
    for (const key of ["bob", "rob"]) await store.people.link({ ...SCOPE, key }, id, "terminal", null);
    const { id: sessionId } = await store.sessions.create({ user: id, origin: "terminal", originChat: null });
    const pass = { kind: "pass", issuer: id, person: null, who: null, sessionId, ttlMs: 60_000 } as const;
    await store.codes.create({ ...pass, code: newCode() });
    await store.inbox.acceptInbound(KEY, {
      ...{ conversation: HOME, messageId: "m1", sender: { id: "bob" }, text: "hi", sentAt: 0 },
    });
    const row = await store.inbox.head(KEY);
    await store.turns.startTurn({
      ...{ sessionId, holder: GATEWAY, surface: KEY, leaseMs: 60_000, message: { role: "user", text: "hi" } },
      cause: { kind: "inbox", inboxId: row?.id ?? ("" as never) },
    });
    expect(await overview.read(ADA, { of: "people" })).toMatchObject({
      people: [{}, { name: "Robert", passes: 1 }],
    });
    expect(await act({ do: "set-role", id, role: "member" })).toMatchObject({
      ...{ role: "member", lost: { identities: 0, passes: 1, turns: 1 } },
    });
    expect(await act({ do: "unlink", platform: "pager", account: null, key: "rob" })).toMatchObject({
      lost: { identities: 1, passes: 0, turns: 0 },
    });
    expect(await act({ do: "remove-person", id })).toMatchObject({ name: "Robert", lost: { identities: 1 } });
    await expect(act({ do: "remove-person", id })).rejects.toMatchObject({ code: "PERSON_UNKNOWN" });
    await expect(act({ do: "remove-person", id: OPERATOR })).rejects.toMatchObject({ code: "PERSON_IS_TERMINAL" });
  });

  it("lets a newcomer in, and turns another away", async () => {
    const ask = (key: string) => {
      const conversation = { ...HOME, chatId: key };
      const who = {
        ...SCOPE,
        key,
        id: key,
        name: `${key}'s name`,
        conversation,
        surface: buildSessionKey(conversation),
      };
      return store.codes.requestPairing({ code: newCode(), who, ttlMs: 60_000, outbox: [] });
    };
    await ask("eve");
    await ask("mallory");
    expect(await overview.read(ADA, { of: "requests" })).toMatchObject({
      requests: [
        { number: 1, platform: "pager", id: "eve", name: "eve's name" },
        { number: 2, id: "mallory" },
      ],
      claims: [],
    });
    expect(await overview.act(ADA, { do: "let-in", number: 1 })).toMatchObject({ person: { name: "eve's name" } });
    expect(await store.people.of(SCOPE, "eve")).toMatchObject({ role: "member" });
    expect(await overview.act(ADA, { do: "turn-away", number: 2 })).toMatchObject({ state: "refused", id: "mallory" });
    await expect(overview.act(ADA, { do: "let-in", number: 2 })).rejects.toMatchObject({ code: "REQUEST_UNKNOWN" });
    expect(await store.people.of(SCOPE, "mallory")).toBeNull();
  });

  it("makes a link code for a person, and asks whether whoever sent it is them", async () => {
    const { id } = await store.people.add({ name: "Bob", role: "member" });
    const made = await overview.act(ADA, { do: "make-link-code", id });
    expect(made).toMatchObject({ state: "open", person: { name: "Bob" }, account: null });
    const number = Number(made.number);
    // Whoever gave the code loses it with their right.
    expect(await store.codes.get(number)).toMatchObject({ issuer: "pager:ada" });
    await expect(overview.act(ADA, { do: "settle-link", number, isThem: true })).rejects.toMatchObject({
      code: "CODE_INVALID",
    });
    const who = { ...SCOPE, key: "rob", id: "rob", name: "Rob", conversation: HOME, surface: KEY };
    const sent = {
      code: readCode(String(made.code)) ?? "",
      who,
      user: null,
      messageId: "m1",
      mirrors: false,
      outbox: [],
    };
    expect(await store.codes.redeem(sent)).toMatchObject({ ok: true });
    expect(await overview.read(ADA, { of: "requests" })).toMatchObject({
      claims: [{ number, person: { name: "Bob" }, account: { platform: "pager", id: "rob", name: "Rob" }, about: [] }],
    });
    expect(JSON.stringify(await overview.read(ADA, { of: "requests" }))).not.toContain(String(made.code));
    expect(await overview.act(ADA, { do: "settle-link", number, isThem: true })).toMatchObject({ state: "linked" });
    expect(await store.people.of(SCOPE, "rob")).toMatchObject({ id });
  });
});
