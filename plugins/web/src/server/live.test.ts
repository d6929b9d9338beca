import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { openWebFile } from "../storage/web-file.ts";
import { LiveUpdates } from "./live.ts";

it("a page that reads nothing loses its stream instead of filling memory", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
  using file = openWebFile(folder, { now: 0, redact: (text) => text });
  const live = new LiveUpdates(file, createVirtualClock());
  const frozen = live.open(undefined, { id: "p1", isWelcome: () => true, onEnd: () => {} });
  live.show("p1", "home");
  const said = { place: "in the terminal", asked: "a story", text: "a".repeat(20_000) };
  for (let at = 0; at < 200; at++) live.tellShown("home", { type: "growing", threadId: "home", said });
  expect(live.count).toBe(0);
  expect((await new Response(frozen).text()).length).toBeLessThan(1_000_000);
  rmSync(folder, { recursive: true });
});
