import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it, vi } from "vitest";
import type { Store } from "../../store/store.ts";
import { asking, touch } from "./test-asking.ts";

afterEach(disposeMachines);

/** A chat in which something was asked, whose next message is `edited`. */
async function asked(said = "I see.") {
  const on = asking({}, [[touch(), { say: said }], "Hello."]);
  const { store } = (await on.gateway()).host;
  const other = (await on.terminal()).store;
  let meanwhile: () => Promise<unknown> = async () => {};
  vi.spyOn(store.approvals, "shownAt").mockImplementation(async (key) => {
    const happens = meanwhile;
    meanwhile = async () => {};
    await happens();
    return other.approvals.shownAt(key);
  });
  await on.say("Go");
  await on.asked(store);
  const edit = (text: string) => on.platform.write(text, { messageId: "edited", isEdit: true });
  return {
    ...{ ...on, store, other },
    texts: () => on.platform.textsIn("home"),
    edit,
    /** Writes a command, to which something happens while it is looked up what it decides. */
    async saysWhile(text: string, happens: () => Promise<unknown>) {
      await on.clock.advance(1_000);
      meanwhile = happens;
      await on.platform.write(text, { messageId: "edited", sentAt: on.clock.now() });
    },
  };
}

async function isDone({ inbox }: Store): Promise<boolean> {
  return (await inbox.openLanes("loopback", undefined)).length === 0;
}

it("an /approve that is edited to /deny before it has decided denies", async () => {
  const on = await asked();
  await on.saysWhile("/approve", () => on.edit("/deny"));
  await on.until(() => on.texts().includes("I see."));
  await on.until(() => isDone(on.store));
  expect(on.ran).toEqual([]);
  expect(on.texts().join()).toMatch(/^(?!.*Allowed).*Denied/s);
  expect(on.model.requests).toHaveLength(1);
});

it("a /deny that is edited to /approve before it has decided allows", async () => {
  const on = await asked("Done.");
  await on.saysWhile("/deny", () => on.edit("/approve"));
  await on.until(() => on.texts().includes("Done."));
  await on.until(() => isDone(on.store));
  expect(on.ran).toEqual(["x"]);
  expect(on.texts().join()).toMatch(/^(?!.*Denied).*Allowed once/s);
});

it("an /approve that is edited to other words before it has decided allows nothing", async () => {
  const on = await asked();
  await on.saysWhile("/approve", () => on.edit("Take y instead"));
  await on.until(() => on.texts().includes("I see."));
  await on.until(() => isDone(on.store));
  const read = await on.store.transcripts.read(on.model.requests[0]?.session.id ?? ("" as never));
  expect(on.ran).toEqual([]);
  expect(read.filter(({ role }) => role === "user").map(({ text }) => text)).toEqual(["Go", "Take y instead"]);
});

it("an /approve that is deleted before it has decided allows nothing", async () => {
  const on = await asked();
  const at = { platform: "loopback", chatId: "home", kind: "dm" } as const;
  await on.saysWhile("/approve", () =>
    Promise.all([...on.platform.listening].map((events) => events.retracted(at, "edited"))),
  );
  await on.clock.advance(5_000);
  expect(on.ran).toEqual([]);
  expect(await on.store.approvals.open()).toHaveLength(1);
});

it.each(["/deny", "Take y instead"])("an /approve edited to “%s” once it has decided stays one", async (text) => {
  const on = await asked("Done.");
  const { decide } = on.other.approvals;
  vi.spyOn(on.store.approvals, "decide").mockImplementationOnce(async (request) => {
    const result = await decide(request);
    await on.edit(text);
    return result;
  });
  await on.say("/approve", { messageId: "edited" });
  await on.until(() => on.texts().includes("Done."));
  await on.until(() => isDone(on.store));
  await on.clock.advance(5_000);
  expect(on.ran).toEqual(["x"]);
  expect(on.texts().join()).toMatch(/^(?!.*Denied).*Allowed once/s);
  expect(on.model.requests).toHaveLength(1);
});
