import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it, vi } from "vitest";
import { HermesError } from "../../base/errors.ts";

afterEach(disposeMachines);

const HOME = { platform: "loopback", chatId: "home", kind: "dm" } as const;

/** As the store refuses while another program has it locked. */
const BUSY = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });

type Machine = ReturnType<typeof machine>;

function deleteByPlatform(on: Machine, messageId: string): Promise<unknown> {
  return Promise.all([...on.platform.listening].map((events) => events.retracted(HOME, messageId)));
}

function askedFor({ model }: Machine, text: string): number {
  return model.requests.filter(({ messages }) => messages.at(-1)?.text.includes(text)).length;
}

it("a deletion that came first counts, though the store fails when its message comes", async () => {
  const on = machine({}, ["One."]);
  const { host, die } = await on.gateway();
  const kept = vi.spyOn(host.store.inbox, "retract");
  await deleteByPlatform(on, "gone");
  kept.mockRejectedValueOnce(BUSY);
  await expect(on.platform.write("Deleted.", { messageId: "gone" })).rejects.toThrow(BUSY);
  // The adapter hands it over again.
  await on.platform.write("Deleted.", { messageId: "gone" });
  await on.platform.write("Kept.");
  await on.until(() => on.platform.textsIn("home").includes("One."));
  die();
  await on.gateway();
  await on.clock.advance(30_000);
  expect([askedFor(on, "Deleted."), askedFor(on, "Kept.")]).toEqual([0, 1]);
});

it("a message is not answered while the store has yet to keep that it was deleted", async () => {
  const held = gate();
  const on = machine({}, [[{ hold: held }, { say: "The first." }], "The last."]);
  const { host } = await on.gateway();
  await on.platform.write("Do the first.");
  await on.until(() => on.model.requests.length === 1);
  const messageId = await on.platform.write("Do the second.");
  vi.spyOn(host.store.inbox, "retract").mockRejectedValueOnce(BUSY);
  await expect(deleteByPlatform(on, messageId)).rejects.toThrow(BUSY);
  await on.platform.write("Do the last.");
  held.open();
  await on.until(() => on.platform.textsIn("home").includes("The last."));
  expect(askedFor(on, "Do the second.")).toBe(0);
});
