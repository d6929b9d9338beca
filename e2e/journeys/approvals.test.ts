import { expect, it } from "vitest";
import { ApprovalCase } from "../support/approval-case.ts";
import type { HandoffDocument } from "../support/journey.ts";
import { said } from "../support/journey.ts";
import { PLACES } from "../support/places.ts";

it.each(PLACES)("a call asked for in the terminal is allowed on %s, and runs there once", async (platform) => {
  await using asked = await ApprovalCase.begin(platform);
  const { machine, folder } = asked;
  await machine.startGateway();
  const terminal = await machine.startOnScreen([], { folder, rows: 30, cols: 90 });
  await terminal.shows(/›|>/);
  terminal.press("Count it\r");
  const session = await asked.waitingSession();
  await terminal.shows(/ran\.txt/);

  const handoff = await machine.json<HandoffDocument>("handoff", platform, "--session", session, "--yes");
  expect(handoff).toMatchObject({ state: "completed", error: null });
  await asked.asksThere();
  expect(asked.model.requests).toHaveLength(1);
  expect(asked.ran).toBe(0);

  await asked.answer("yes");
  await asked.saysThere(/Answer to: Count it/);
  expect(asked.ran).toBe(1);

  await machine.json("chat", "-q", "Are you back?", "--session", session);
  const lines = await said(machine, session);
  expect(lines.filter((line) => /the-result-of-it/.test(line))).toHaveLength(1);
  expect(lines.at(-1)).toContain("Answer to: Are you back?");
});
