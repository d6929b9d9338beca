import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, type HandoffDocument } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPlace, PLACES } from "../support/places.ts";

let model: ModelServer;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

/** The page has one chat, which is its home, and a business number of WhatsApp has no groups. */
const PLATFORMS = PLACES.filter((name) => name !== "web" && name !== "whatsapp");

test.each(PLATFORMS)("a session goes to a group on %s that is named in the config and is no home", async (name) => {
  await using place = await openPlace(name);
  const group = place.others.find(({ kind }) => kind === "group");
  if (group === undefined) throw new Error(`${name} has no group`);
  const [plugin, options] = place.plugin as [string, Record<string, unknown>];
  const places = { team: { chatId: group.id, shared: true } };
  await using machine = machineWith(model, { plugins: [[plugin, { ...options, places }]] });
  await machine.startGateway();
  const session = await begin(machine, "Plan a trip to Rome");
  const before = await place.messages();
  const handoff = await machine.json<HandoffDocument>("handoff", `${name}/team`, "--session", session, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  const said = (await place.messages()).filter(({ id }) => !before.some((one) => one.id === id));
  expect(new Set(said.map(({ chatId }) => chatId))).toEqual(new Set([group.id]));
  // The message that a thread hangs on stands in the chat itself.
  const { threadId } = said.find((one) => one.threadId !== undefined) ?? {};
  expect(threadId !== undefined).toBe(group.hasThreads);

  const spot = { chatId: group.id, ...(threadId && { threadId }) };
  await place.write("Which day for the museums?", spot, { mentions: !group.hasThreads });
  await machine.until(
    async () => (await place.messages()).some(({ text }) => text.includes("Answer to:") && text.includes("museums")),
    "the answer in the group",
  );
});
