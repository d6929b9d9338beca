import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it, vi } from "vitest";
import type { AdapterEvents } from "../../adapter/adapter.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";

afterEach(disposeMachines);

const CONVERSATION = { platform: "loopback", chatId: "home", kind: "dm" } as const;

function reads(messageId: string, text: string): InboundMessage {
  return { conversation: CONVERSATION, messageId, sender: { id: "person" }, sentAt: 0, text };
}

const SECRET = { name: "secret.txt", mediaType: "text/plain", size: 6, download: async () => Buffer.from("secret") };
const POLL = { kind: "poll", question: "Who?", options: ["Ada", "Grace"] } as const;

/** A gateway that died on the first message, with two more behind it. */
async function leftByGateway({
  prepare = async () => {},
  ...more
}: Partial<InboundMessage> & { prepare?: (host: Host) => Promise<unknown> } = {}) {
  const on = machine({ operators: ["person"] }, [[{ hold: gate() }, { say: "Never said." }]]);
  const { host, die } = await on.gateway();
  const { model, platform } = on;
  await prepare(host);
  await platform.write("Do the first.");
  await on.until(() => model.requests.length === 1);
  for (const messageId of ["second", "third"]) await platform.write(`Do the ${messageId}.`, { messageId, ...more });
  die();
  platform.listening.clear();
  return {
    ...on,
    earlier: host,
    /** What the model is asked by the next gateway, until all is answered. */
    async askedAfterwards(prepare: (store: Store) => void = () => {}) {
      const { store } = (await on.gateway()).host;
      prepare(store);
      await on.until(async () => (await store.inbox.openLanes("loopback", undefined)).length === 0);
      return model.requests.slice(2).map(({ messages }) => messages.at(-1)?.text);
    },
  };
}

it("what was deleted while no gateway ran is not answered, and an edit counts", async () => {
  const on = await leftByGateway();
  on.platform.changed.set("second", null);
  on.platform.changed.set("third", reads("third", "Do the last."));
  expect(await on.askedAfterwards()).toEqual(["Do the last."]);
});

it("a code that was put into a message while no gateway ran reaches no model", async () => {
  const code = newCode();
  const made = { code, issuer: OPERATOR, person: OPERATOR, sessionId: null, who: null, ttlMs: 600_000 };
  const on = await leftByGateway({
    prepare: ({ store }) => store.codes.create({ ...made, kind: "link" }),
  });
  on.platform.changed.set("second", reads("second", code));
  on.platform.changed.set("third", reads("third", "Do the third."));
  expect(await on.askedAfterwards()).toEqual(["Do the third."]);
});

it("what was taken out of a message while no gateway ran is not in it any more", async () => {
  const on = await leftByGateway({ attachments: [SECRET], items: [POLL] });
  on.platform.changed.set("second", reads("second", "Do the second."));
  on.platform.changed.set("third", { ...reads("third", "Do the third."), attachments: [SECRET], items: [] });
  const asked = await on.askedAfterwards();
  expect(asked).toEqual(["Do the second.", expect.stringMatching(/^Do the third\.(?!.*Who\?).*secret\.txt/s)]);
});

it("a message of which an edit left nothing while no gateway ran is not answered", async () => {
  const on = await leftByGateway();
  on.platform.changed.set("second", reads("second", ""));
  expect(await on.askedAfterwards()).toEqual(["Do the third."]);
  expect(on.platform.textsIn("home")).toHaveLength(1);
});

it("an edit or a deletion that the store cannot keep at first is told of again", async () => {
  const on = await leftByGateway();
  on.platform.changed.set("second", null);
  on.platform.changed.set("third", reads("third", "Do the last."));
  const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
  const asked = await on.askedAfterwards(({ inbox }) => {
    vi.spyOn(inbox, "retract").mockRejectedValueOnce(busy);
    vi.spyOn(inbox, "acceptInbound").mockRejectedValueOnce(busy);
  });
  expect(asked).toEqual(["Do the last."]);
});

it("a message of which the platform can say nothing is answered as it was kept", async () => {
  const on = await leftByGateway();
  const lost = new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it broke" });
  on.platform.fail("readNow", lost);
  on.platform.fail("readNow", "hang");
  expect(await on.askedAfterwards()).toEqual(["Do the second.", "Do the third."]);
});

it("a slow platform is asked once, and every message left by a gateway is answered", async () => {
  const on = await leftByGateway();
  on.platform.fail("readNow", "hang", 9);
  const from = on.clock.steady().ms;
  expect(await on.askedAfterwards()).toEqual(["Do the second.", "Do the third."]);
  expect(on.clock.steady().ms - from).toBeLessThan(20_000);
});

it("nobody is asked how a message reads that came to the gateway that answers it", async () => {
  const on = machine({ operators: ["person"] });
  await on.gateway();
  on.platform.changed.set("in", null);
  await on.platform.write("Hello.", { messageId: "in" });
  await on.until(() => on.platform.textsIn("home").length > 0);
});

it("an edit by somebody else changes nothing of what an earlier process left", async () => {
  const on = await leftByGateway();
  on.platform.changed.set("second", { ...reads("second", "Do nothing."), sender: { id: "eve" } });
  expect(await on.askedAfterwards()).toEqual(["Do the second.", "Do the third."]);
});

it("what was left waits for edits and deletions that the platform held meanwhile", async () => {
  const on = await leftByGateway();
  on.platform.onListening = (events) => {
    on.clock.setTimer(1_000, () => void events.retracted(CONVERSATION, "second"));
    on.clock.setTimer(2_500, () => void events.receive({ ...reads("third", "Do the last."), isEdit: true }));
  };
  expect(await on.askedAfterwards()).toEqual(["Do the last."]);
});

it("a message that comes with its edit after a start is answered as it reads by then", async () => {
  const on = machine({ operators: ["person"] });
  on.platform.onListening = (events) => {
    const written = { ...reads("in", "Do the first."), sentAt: on.clock.now() - 60_000 };
    void events.receive(written);
    on.clock.setTimer(1_000, () => void events.receive({ ...written, text: "Do the last.", isEdit: true }));
  };
  await on.gateway();
  await on.until(() => on.platform.textsIn("home").length > 0);
  expect(on.model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(["Do the last."]);
});

it("a message that comes an hour late waits for the edit behind it", async () => {
  const on = machine({ operators: ["person"] });
  const events = () => [...on.platform.listening][0] as AdapterEvents;
  await on.gateway();
  await on.clock.advance(2 * 3_600_000);
  const late = { ...reads("in", "Do the first."), sentAt: on.clock.now() - 3_600_000 };
  await events().receive(late);
  on.clock.setTimer(1_000, () => void events().receive({ ...late, text: "Do the last.", isEdit: true }));
  await on.until(() => on.platform.textsIn("home").length > 0);
  expect(on.model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(["Do the last."]);
});

it("what was left waits for 10 s at most, however much the platform hands over", async () => {
  const on = await leftByGateway();
  on.platform.onListening = (events) => {
    let said = 0;
    const goOn = () => {
      void events.receive({ ...reads(`other ${++said}`, "Hi."), sender: { id: "eve" } });
      on.clock.setTimer(1_000, goOn);
    };
    goOn();
  };
  const from = on.clock.steady().ms;
  expect(await on.askedAfterwards()).toEqual(["Do the second.", "Do the third."]);
  expect(on.clock.steady().ms - from).toBeLessThan(11_000);
});
