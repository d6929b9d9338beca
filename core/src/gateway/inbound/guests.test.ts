import { gate } from "@hermes/testing";
import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { newCode } from "../../model/code.ts";
import type { UndeliveredMessage } from "../../model/delivery.ts";
import { OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import { authorOf } from "../../model/turn.ts";
import { retryDelivery } from "../../overview/deliveries.ts";
import { currentRights } from "../../store/current-rights.ts";
import { asking, touch } from "./test-asking.ts";

afterEach(disposeMachines);

const conversation = { platform: "loopback", chatId: "dm-eve", kind: "dm" } as const;
const EVE = { conversation, sender: { id: "eve", name: "Eve" } };
const EVES = buildSessionKey(conversation);

/** A session of the operator's, with one exchange, of which Eve has a pass that she has sent. */
async function withGuest(
  script: Parameters<typeof asking>[1] = [],
  options: Parameters<typeof asking>[0] = {},
  isByAnother = false,
) {
  const on = asking(options, script);
  const { host } = await on.gateway();
  const { store } = host;
  const session = await store.sessions.create({ title: "plan", user: OPERATOR, origin: "terminal", originChat: null });
  const other = await store.sessions.create({ title: "diary", user: OPERATOR, origin: "terminal", originChat: null });
  const issuer = isByAnother ? (await store.people.add({ name: "Grace", role: "operator" })).id : OPERATOR;
  const { number } = await give(host, session.id, issuer);
  const code = codes.get(number) ?? "";
  await on.say(code, EVE);
  await on.until(() => on.platform.textsIn("dm-eve").length === 1);
  const heard = () => on.platform.textsIn("dm-eve").slice(1);
  /** The first turn of a process takes a while of real time. */
  const answered = (chatId?: "home") =>
    on.until(async () => {
      await store.sessions.count();
      return (chatId === undefined ? heard() : on.platform.textsIn(chatId)).length > 0;
    });
  return { ...on, host, store, session, other, issuer, number, heard, answered };
}

const codes = new Map<number, string>();

async function give({ store }: Host, sessionId: SessionId, issuer: UserId = OPERATOR) {
  const code = newCode();
  const made = { code, issuer, person: null, sessionId, who: null, ttlMs: 60_000 };
  const { number } = await store.codes.create({ ...made, kind: "pass" });
  codes.set(number, code);
  return { number };
}

describe("a guest, who has a pass that was for anyone", () => {
  it("a guest talks in the one session, and no tool runs for their words", async () => {
    const on = await withGuest([[{ say: "Hello, Eve." }]]);
    expect(on.platform.textsIn("dm-eve")[0]).toMatch(/You go on here with \*\*plan\*\*.*You are its guest/);
    await on.say("Delete everything", EVE);
    await on.answered();
    expect(on.heard()).toEqual(["Hello, Eve."]);
    const said = (await on.store.transcripts.read(on.session.id)).map(({ text }) => text);
    expect(said[0]).toMatch(/^⟦from "Eve" #[0-9a-f]{6}⟧\nDelete everything$/);
    const rights = await currentRights(on.store, authorOf({ conversation, sender: EVE.sender }));
    const acts = ["talk", "guests-command", "command", "decide", "tool"] as const;
    expect(acts.filter((act) => rights.mayDo(act).ok)).toEqual(["talk", "guests-command"]);
  });

  it("a guest has no commands but those that show where they are", async () => {
    const on = await withGuest();
    const refused = ["/resume diary", "/new", "/sessions", "/pass anyone", "/link", "/mode edits", "/undo"];
    for (const command of refused) {
      const before = on.heard().length;
      await on.say(command, EVE);
      await on.until(() => on.heard().length > before);
      expect([command, on.heard().at(-1)]).toEqual([command, expect.stringContaining("You may not do that here.")]);
    }
    await on.say("/help", EVE);
    await on.until(() => on.heard().at(-1)?.includes("/help") === true);
    expect(
      on
        .heard()
        .at(-1)
        ?.match(/(?<=`\/)\w+/g)
        ?.sort(),
    ).toEqual(["help", "status", "stop", "whoami"]);
    expect((await on.store.bindings.get(EVES))?.sessionId).toBe(on.session.id);
  });

  it("a guest reads no question, no place and no state of the operator's in /status", async () => {
    const on = await withGuest([[touch("diary")]]);
    await on.store.bindings.bind({
      ...{ key: buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" }), sessionId: on.session.id },
      ...{ conversation: { platform: "loopback", chatId: "home", kind: "dm" }, mirrors: false },
    });
    await on.say("Delete the plan");
    await on.answered("home");
    expect(await on.store.approvals.open(on.session.id)).toHaveLength(1);
    await on.say("/status", EVE);
    await on.until(() => on.heard().length > 0);
    expect(on.heard().at(-1)).toMatch(/^\*\*plan\*\* \([^()]*\)\n- a turn is running$/);
  });

  it("a guest stops no turn but their own", async () => {
    const on = await withGuest();
    const message = { role: "user", text: "Hello", surface: "terminal" } as const;
    const turn = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000, message } as const;
    await on.store.turns.startTurn({ ...turn, sessionId: on.session.id, holder: on.host.holder });
    await on.say("/stop", EVE);
    await on.until(() => on.heard().length > 0);
    expect(on.heard()).toEqual(["Nothing is running in this session."]);
    expect(await on.store.turns.running(on.session.id)).toMatchObject({ stopRequested: false });
  });

  it("a guest is a stranger once the pass, the chat's binding or the session is gone", async () => {
    const ends = {
      revoked: (on: Awaited<ReturnType<typeof withGuest>>) => on.store.codes.revoke(on.number),
      rebound: ({ store, other, session }: Awaited<ReturnType<typeof withGuest>>) =>
        store.bindings
          .bind({ key: EVES, conversation, sessionId: other.id, mirrors: false })
          .then(() => store.bindings.bind({ key: EVES, conversation, sessionId: session.id, mirrors: false })),
      deleted: ({ store, session }: Awaited<ReturnType<typeof withGuest>>) => store.sessions.delete(session.id),
    };
    for (const [how, end] of Object.entries(ends)) {
      const on = await withGuest();
      await end(on);
      await on.say("Hello?", EVE);
      await on.clock.advance(3_000);
      expect([how, on.heard(), on.model.requests.length]).toEqual([how, [], 0]);
      expect(await on.store.users.refused("loopback", undefined)).toBe(1);
    }
  });

  it("a pass that is revoked while its guest's turn runs stops the turn", async () => {
    const held = gate();
    const on = await withGuest([[{ say: "Part of it" }, { hold: held }, { say: ", and the secret." }]]);
    await on.say("Tell me", EVE);
    await on.until(() => on.model.requests.length === 1);
    await on.store.codes.revoke(on.number);
    await on.until(() => on.heard().some((text) => text.includes("no longer allowed to")));
    held.open();
    await on.clock.advance(3_000);
    expect(on.heard().join()).not.toContain("secret");
  });

  it("a guest's turn stops once whoever gave their pass is no operator any more", async () => {
    for (const how of ["demoted", "removed"] as const) {
      const held = gate();
      const on = await withGuest([[{ say: "Part of it" }, { hold: held }, { say: ", and the secret." }]], {}, true);
      await on.say("Tell me", EVE);
      await on.until(() => on.model.requests.length === 1);
      if (how === "demoted") await on.store.people.setRole(on.issuer, "member");
      else await on.store.people.remove(on.issuer);
      await on.until(() => on.heard().some((text) => text.includes("no longer allowed to")));
      held.open();
      await on.clock.advance(3_000);
      expect([how, on.heard().join()]).toEqual([how, expect.not.stringContaining("secret")]);
      expect(await on.store.bindings.get(EVES)).toBeNull();
    }
  });

  it("a guest's message that waits for a turn is dropped once their pass is revoked", async () => {
    const on = await withGuest(["An answer."]);
    const held = await on.store.turns.startTurn({
      ...{ sessionId: on.session.id, surface: "terminal", holder: { ...on.host.holder, id: "other" }, leaseMs: 60_000 },
      ...{ cause: { kind: "terminal" }, message: { role: "user", text: "Work" } },
    });
    if (!held.ok) throw new Error("the turn was not granted");
    await on.say("Tell me", EVE);
    await on.clock.advance(2_000);
    await on.store.codes.revoke(on.number);
    const { turn, fence } = held;
    await on.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
    await on.until(async () => (await on.store.users.refused("loopback", undefined)) === 1);
    expect([on.heard(), on.model.requests.length]).toEqual([[], 0]);
    expect((await on.store.transcripts.read(on.session.id)).map(({ text }) => text)).toEqual(["Work"]);
    expect(await on.store.inbox.openLanes("loopback", undefined)).toEqual([]);
  });

  it("an answer held back as its guest's pass was revoked is sent to them by hand", async () => {
    const on = await withGuest([[{ say: "Hello, Eve." }]], { allowedUsers: ["eve"] });
    on.platform.onCall = async (call) => {
      if (call !== "send") return;
      on.platform.onCall = async () => {};
      await on.store.codes.revoke(on.number);
      throw new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "blocked", hint: "" });
    };
    await on.say("Hello?", EVE);
    const { deliveries } = on.store;
    await on.until(async () => (await deliveries.untold(9)).length > 0);
    const [kept] = await deliveries.untold(9);
    expect(kept).toMatchObject({ state: "failed", isHeldBack: true, message: { markdown: "Hello, Eve." } });
    await expect(retryDelivery(on.store, kept as UndeliveredMessage)).rejects.toMatchObject({
      code: "DELIVERY_READ_BY_OTHERS",
    });
    await retryDelivery(on.store, kept as UndeliveredMessage, { yes: true });
    await on.until(async () => (await deliveries.list({ limit: 9, waiting: true })).length === 0);
    expect(on.heard()).toContain("Hello, Eve.");
  });

  it("an answer that waits for a passed-in member when its session is deleted is kept", async () => {
    const on = await withGuest([[{ say: "Hello, Eve." }]], { allowedUsers: ["eve"] });
    const limit = { platform: "loopback", seconds: 60 };
    on.platform.fail("send", new PlatformError("PLATFORM_RATE_LIMITED", limit, { retryAfterMs: 60_000 }));
    await on.say("Hello?", EVE);
    const { deliveries } = on.store;
    const state = async () => (await deliveries.list({ limit: 9, waiting: true }))[0];
    await on.until(async () => (await state())?.error?.code === "PLATFORM_RATE_LIMITED");
    await on.store.sessions.delete(on.session.id);
    await on.clock.advance(90_000);
    await on.until(async () => (await state())?.state !== "waiting");
    expect([on.heard(), await deliveries.untold(9)]).toMatchObject([
      [],
      [
        {
          state: "failed",
          error: { code: "SESSION_NOT_THEIRS" },
          message: { markdown: "Hello, Eve." },
          isHeldBack: true,
        },
      ],
    ]);
    // Nobody but by hand says it to her.
    const [kept] = await deliveries.untold(9);
    await retryDelivery(on.store, kept as UndeliveredMessage, { yes: true });
    await on.until(() => on.heard().length > 0);
    expect(on.heard()).toEqual(["Hello, Eve."]);
  });

  it("a guest is one in that chat alone", async () => {
    const on = await withGuest();
    await on.say("Hello?", { chatId: "team", isAddressed: true, sender: EVE.sender });
    await on.clock.advance(3_000);
    expect(on.platform.textsIn("team")).toEqual([]);
    expect(await on.store.users.refused("loopback", undefined)).toBe(1);
  });

  it("what a guest wrote is quoted data in a turn of the operator", async () => {
    const on = await withGuest([[{ say: "Hello, Eve." }], [{ say: "She greets." }]]);
    await on.say("Delete everything", EVE);
    await on.answered();
    await on.store.bindings.bind({
      ...{ key: buildSessionKey({ platform: "loopback", chatId: "home", kind: "dm" }), sessionId: on.session.id },
      ...{ conversation: { platform: "loopback", chatId: "home", kind: "dm" }, mirrors: false },
    });
    await on.say("What did she want?");
    await on.answered("home");
    const asked = on.model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    expect(asked[0]).toMatch(/^⟦from "Eve" #[0-9a-f]{6}, who may not use tools⟧\n> Delete everything$/);
  });
});
