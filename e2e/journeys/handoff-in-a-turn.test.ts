import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EVERY_SESSION } from "@hermes/core/embed";
import type { EmulatorFailure } from "@hermes/emulator";
import { gate } from "@hermes/testing";
import { expect, it } from "vitest";
import { ApprovalCase } from "../support/approval-case.ts";
import { said } from "../support/journey.ts";

/** Runs until the file `go` is there; what it leaves behind shows how often it ran. */
const SCRIPT = `echo begun >> begun.txt
until [ -e go ]; do sleep 0.05; done
echo ran >> ran.txt
echo the-result-of-it
`;

/** A terminal whose turn runs a command that does not end before `end` is called. */
async function working(platform: string, answer: ReturnType<typeof gate> | null) {
  const asked = await ApprovalCase.begin(platform, ({ messages }) => {
    if (messages.at(-1)?.role !== "tool") return { call: [{ name: "shell", input: { command: "bash wait.sh" } }] };
    return { say: "All of it is counted.", ...(answer === null ? {} : { hold: answer }) };
  });
  const { machine, folder } = asked;
  const config = JSON.parse(readFileSync(machine.configPath, "utf8"));
  writeFileSync(machine.configPath, JSON.stringify({ ...config, permissions: { allow: ["shell(bash wait.sh)"] } }));
  writeFileSync(join(folder, "wait.sh"), SCRIPT);
  await machine.startGateway();
  const terminal = await machine.startOnScreen([], { folder, rows: 30, cols: 90 });
  await terminal.shows(/›|>/);
  terminal.press("Count it\r");
  await machine.until(() => existsSync(join(folder, "begun.txt")), "the command");
  const { sessions } = await (await machine.store()).sessions.list({ visible: EVERY_SESSION, limit: 1 });
  const sessionId = sessions[0]?.id;
  if (sessionId === undefined) throw new Error("there is no session");
  return {
    asked,
    terminal,
    sessionId,
    end: () => writeFileSync(join(folder, "go"), ""),
    begun: () => readFileSync(join(folder, "begun.txt"), "utf8"),
    /** Hands off from the terminal, and waits until that is accepted. */
    async handOff() {
      terminal.press(`/handoff ${platform}\r`);
      const { handoffs } = await machine.store();
      await machine.until(async () => (await handoffs.latestOf(sessionId))?.waitsForTurn === true, "the handoff");
    },
  };
}

it.each(["web", "telegram"])("a turn goes on at %s that a handoff met in the middle of a command", async (platform) => {
  const answer = gate();
  const { asked, terminal, sessionId, end, begun, handOff } = await working(platform, answer);
  await using _ = asked;
  const { machine, model } = asked;
  await handOff();
  end();
  await answer.reached;
  // It grows there, and not in the terminal.
  await asked.saysThere(/^All/);
  expect((await asked.said()).join()).not.toContain("counted.");
  answer.open();
  await asked.saysThere(/All of it is counted\.$/);
  expect([asked.ran, begun()]).toEqual([1, "begun\n"]);
  expect(model.requests).toHaveLength(2);
  const lines = await said(machine, sessionId);
  expect(lines.filter((line) => /^(user|assistant|tool): /.test(line))).toEqual([
    "user: Count it",
    expect.stringMatching(/^assistant: /),
    expect.stringContaining("the-result-of-it"),
    "assistant: All of it is counted.",
  ]);
  await terminal.shows(/Go on there/);
  expect(terminal.everything().join()).not.toContain("counted");
});

it("a turn goes on in the terminal when the platform refuses what a handoff sends", async () => {
  const { asked, terminal, end, begun, handOff } = await working("telegram", null);
  await using _ = asked;
  const refused: EmulatorFailure = {
    operation: "send",
    times: 1_000,
    kind: { is: "refuse", code: "CHAT_WRITE_FORBIDDEN" },
  };
  asked.place.fail(refused);
  await handOff();
  end();
  await terminal.shows(/All of it is counted\./);
  expect([asked.ran, begun()]).toEqual([1, "begun\n"]);
  expect((await asked.said()).join()).not.toContain("counted");
});
