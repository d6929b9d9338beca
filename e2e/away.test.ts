import { EVERY_SESSION } from "@hermes/core/embed";
import { expect, it } from "vitest";
import { ApprovalCase } from "./support/approval-case.ts";
import { said } from "./support/journey.ts";

it("a question whose terminal is closed arrives at the phone, and goes on there", async () => {
  await using asked = await ApprovalCase.begin("telegram", ({ messages }) =>
    messages.at(-1)?.role === "tool"
      ? "All of it is counted."
      : { call: [{ name: "shell", input: { command: "echo ran >> ran.txt" } }] },
  );
  const { machine, folder } = asked;
  await machine.startGateway();
  const terminal = await machine.startOnScreen([], { folder, rows: 30, cols: 100 });
  await terminal.shows(/›|>/);
  terminal.press("/away telegram\r");
  await terminal.shows(/goes to telegram by itself, once/);
  terminal.press("Count it\r");
  const sessionId = await asked.waitingSession();
  await terminal.shows(/y once/);
  expect(await asked.said()).toEqual([]);
  terminal.window.kill("SIGKILL");
  await asked.saysThere(/^You were away: this session was in the terminal/);
  await asked.asksThere();
  await asked.answer("yes");
  await asked.saysThere(/All of it is counted\.$/);
  expect(asked.ran).toBe(1);
  expect((await said(machine, sessionId)).at(-1)).toBe("assistant: All of it is counted.");
  const { sessions, away } = await machine.store();
  expect((await sessions.list({ visible: EVERY_SESSION, limit: 5 })).sessions).toHaveLength(1);
  expect(await away.get(sessionId)).toBeNull();
});
