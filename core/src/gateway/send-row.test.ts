import { expect, it } from "vitest";
import type { PlatformAdapter } from "../platform/adapter.ts";
import { LoopbackPlatform } from "../testing/loopback-platform.ts";
import { piecesOf } from "./send-row.ts";

it("an answer of which a platform's formatting leaves nothing is said as it stands, in messages that are not too long", async () => {
  const platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, textLimit: { length: 100, unit: "utf16" } };
  const make = (await platform.plugin().load()) as () => PlatformAdapter;
  const adapter = make();
  adapter.render = () => [];
  const markdown = "`".repeat(250);
  const pieces = await piecesOf(adapter, { kind: "answer", markdown });
  expect(pieces.map(({ text }) => text).join("")).toBe(markdown);
  expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThanOrEqual(100);
});
