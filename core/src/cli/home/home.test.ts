import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { SeenHome } from "../../model/home-person.ts";
import { createTestBench } from "../test-bench.ts";

const HOME: SeenHome = {
  platform: "pager",
  account: undefined,
  home: "7",
  chat: buildSessionKey({ platform: "pager", chatId: "7", kind: "dm" }),
  name: "Kitchen",
  isPrivate: true,
  present: ["ada"],
  isFixed: false,
};

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock, otherwise: () => "Yes." }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

function people() {
  return bench.host.store.homePeople;
}

/** A home channel that was in use before Hermes recorded who is there. */
async function seenBefore(home: SeenHome = HOME): Promise<void> {
  const conversation = { platform: "pager", chatId: home.home, kind: "dm" } as const;
  const message = { conversation, messageId: "1", sender: { id: "ada" }, text: "Hello", sentAt: 0 };
  await bench.host.store.inbox.acceptInbound(home.chat, message);
  await people().see(home);
}

describe("a home channel of which it is not recorded who was there", () => {
  test("hermes asks about it once, and yes makes the person the operator", async () => {
    await seenBefore();
    const chat = bench.start([], { interactive: true });
    await chat.printed("Nobody is the operator in the home channel of pager, Kitchen");
    await chat.printed("Is ada you?");
    chat.type("y");
    await chat.printed("They are the operator there from now on.");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(await people().get(HOME)).toMatchObject({ person: "ada", word: "terminal" });
  });

  test("anything but yes leaves it without an operator, and hermes does not ask again", async () => {
    await seenBefore();
    const chat = bench.start([], { interactive: true });
    await chat.printed("Is ada you?");
    chat.type("");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(await people().get(HOME)).toMatchObject({ person: null });
    const again = bench.start([], { interactive: true });
    again.type("/quit");
    expect(await again.ended).toBe(0);
    expect(again.stdout() + again.stderr()).not.toContain("Is ada you?");
  });

  test("hermes asks about one that a gateway finds while the chat is open", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("/quit leaves");
    await seenBefore();
    chat.type("/help");
    await chat.printed("Is ada you?");
    chat.type("y");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(await people().get(HOME)).toMatchObject({ person: "ada" });
  });

  test("unattended, hermes says how to name the operator and continues", async () => {
    await seenBefore();
    const { code, stderr } = await bench.hermes("chat", "-q", "Hello");
    expect(code).toBe(0);
    expect(stderr).toContain("`hermes home operator pager ada` makes them the operator.");
    expect(await people().get(HOME)).toMatchObject({ person: null });
  });

  test("where several are there, hermes asks nothing and says how to record one", async () => {
    await seenBefore({ ...HOME, present: ["ada", "bob"] });
    const chat = bench.start([], { interactive: true });
    await chat.printed("`hermes home operator pager <id>` makes somebody the operator.");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(chat.stdout()).not.toContain("you?");
  });
});

test("the terminal tells once that somebody else is in the home channel", async () => {
  await people().see(HOME);
  await people().see({ ...HOME, present: ["bob"] });
  for (const isTold of [true, false]) {
    const chat = bench.start([], { interactive: true });
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(chat.stderr().includes("bob rather than ada is in the home channel of pager, Kitchen")).toBe(isTold);
  }
});

describe("hermes home", () => {
  test("hermes home shows who is recorded, who is there and what to do", async () => {
    await people().see(HOME);
    expect((await bench.hermes("home")).stdout).toBe("pager  Kitchen  operator: ada (reported by the platform)\n");
    await people().see({ ...HOME, present: ["bob"] });
    expect((await bench.hermes("home")).stdout).toContain("bob rather than ada is in the home channel");
    expect((await bench.hermes("home", "--json")).json()).toEqual({
      homes: [
        {
          ...{ platform: "pager", account: null, home: "7", name: "Kitchen", isPrivate: true },
          ...{ operator: "ada", since: clock.now(), word: "platform", present: ["bob"] },
          notice: expect.stringContaining("bob rather than ada"),
        },
      ],
    });
  });

  test("hermes home says that none is known", async () => {
    expect((await bench.hermes("home")).stdout).toBe(
      "No home channel is known yet: a gateway records one when it serves it.\n",
    );
  });

  test("hermes home operator records somebody once that was confirmed", async () => {
    await people().see(HOME);
    const refused = bench.start(["home", "operator", "pager", "bob"], { interactive: true });
    await refused.printed("Is bob (who is not there, according to the platform) you?");
    refused.type("no");
    expect(await refused.ended).toBe(1);
    expect(await people().get(HOME)).toMatchObject({ person: "ada" });
    const { code, json } = await bench.hermes("home", "operator", "pager", "bob", "--yes", "--json");
    expect(code).toBe(0);
    expect(json()).toMatchObject({ platform: "pager", operator: "bob", word: "terminal" });
    expect(await people().get(HOME)).toMatchObject({ person: "bob" });
  });

  test("hermes home operator refuses if nobody can confirm it or no home is known", async () => {
    await people().see(HOME);
    const unconfirmed = await bench.hermes("home", "operator", "pager", "bob");
    expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("This needs your confirmation") });
    const unknown = await bench.hermes("home", "operator", "beacon", "bob", "--yes");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("No private home channel of beacon") });
  });
});
