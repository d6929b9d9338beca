import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import type { People } from "../people.ts";
import type { DeliveryReports } from "./delivery-reports.ts";
import type { GraphClient } from "./graph-client.ts";
import { Outbound } from "./outbound.ts";

const NUMBER = "491551234567";

/** Sends to one person of a business that has a template, by a Meta that takes everything. */
function business() {
  let count = 0;
  const graph = { call: async () => ({ messages: [{ id: `wamid.${++count}` }] }) } as unknown as GraphClient;
  const people = { addressesOf: async () => [NUMBER] } as unknown as People;
  const options = { phoneNumberId: "1", template: { name: "hermes_note", language: "en" } };
  const outbound = new Outbound({ graph, people, options, clock: createVirtualClock() });
  const reports = { alias: () => {} } as unknown as DeliveryReports;
  const to = { platform: "whatsapp", chatId: NUMBER, kind: "dm" } as const;
  const { signal } = new AbortController();
  return {
    send: (text: string) => outbound.send({ to, piece: { text }, key: text }, reports, signal),
    refusalOf: (id: string) => outbound.refusalOf({ id, status: "failed", errors: [{ code: 131047 }] }, reports),
  };
}

it("a refusal of what 200 newer messages stand behind is certain all the same", async () => {
  const { send, refusalOf } = business();
  const { messageId } = await send("first");
  for (let count = 1; count <= 200; count++) await send(`newer ${count}`);
  expect(await refusalOf(messageId)).toMatchObject({ code: "PLATFORM_FORBIDDEN" });
  expect(await refusalOf("wamid.of-an-earlier-process")).toMatchObject({ code: "PLATFORM_UNCERTAIN" });
  expect(await refusalOf("wamid.201")).toBeNull();
});
