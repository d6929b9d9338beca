import { join } from "node:path";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin, said } from "../support/journey.ts";
import { answerTo, machineWith, startModel } from "../support/model.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_Z = "\u001a";

let model: ModelServer;
let machine: HermesMachine;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {}, { TERM: "xterm" });
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

async function openShell(): Promise<HermesProcess> {
  const shell = machine.startShellInWindow();
  await shell.saysNext(/shell> $/);
  return shell;
}

describe("a terminal that is killed while lines wait in it", () => {
  it.each([
    ["during the turn before them", 1, ["two", "/title On foot", "three"]],
    ["when the first of them is being answered", 2, ["/title On foot", "three"]],
  ] as const)("offers them when its session is opened again, killed %s", async (_, turns, left) => {
    const sessionId = await begin(machine, `Plan a walk, ${turns}`);
    const before = await said(machine, sessionId);
    const gates = Array.from({ length: turns }, () => gate());
    model.push(...gates.map((hold) => (request: Parameters<typeof answerTo>[0]) => ({ say: answerTo(request), hold })));
    const shell = await openShell();
    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/› [^›]*$/);
    shell.press("one\r");
    await gates[0]?.reached;
    for (const line of ["two", "/title On foot", "three"]) shell.press(`${line}\r`);
    await shell.saysNext(/waits its turn: three/);
    for (const [at, held] of gates.entries()) {
      await held.reached;
      if (at + 1 < turns) held.open();
    }
    shell.press(CTRL_Z);
    await shell.saysNext(/Stopped[\s\S]*shell> $/);
    shell.press("kill -9 %1\r");
    await machine.until(async () => {
      await shell.saysNext(/shell> $/);
      shell.press("\r");
      return shell.stdout.includes("Killed");
    }, "the end of the terminal");
    await shell.saysNext(/shell> $/);
    for (const held of gates) held.open();

    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/typed here, and not sent when that terminal ended:/);
    for (const line of left) await shell.saysNext(new RegExp(`› ${line}`));
    await shell.saysNext(/Send it now\?[^\n]*/);
    shell.press("y\r");
    await shell.saysNext(/Answer to: three/);
    await shell.saysNext(/› [^›]*$/);
    shell.press(CTRL_D);
    await shell.saysNext(/shell> $/);
    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/› [^›]*$/);
    expect(shell.stdout.split("typed here, and not sent")).toHaveLength(2);
    shell.press(CTRL_D);
    await shell.saysNext(/shell> $/);
    shell.press("exit\r");
    await shell.exited();

    const asked = (await said(machine, sessionId)).slice(before.length).filter((line) => line.startsWith("user: "));
    expect(asked).toEqual(["user: one", "user: two", "user: three"]);
  });

  it("output of a command of a killed terminal goes along with the next message, once", async () => {
    const sessionId = await begin(machine, "Plan a swim");
    const shell = await openShell();
    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/› [^›]*$/);
    shell.press("!echo from $((40 + 2))\r");
    await shell.saysNext(/The agent gets this with your next message\./);
    shell.press(CTRL_Z);
    await shell.saysNext(/Stopped[\s\S]*shell> $/);
    shell.press("kill -9 %1\r");
    await machine.until(async () => {
      await shell.saysNext(/shell> $/);
      shell.press("\r");
      return shell.stdout.includes("Killed");
    }, "the end of the terminal");
    await shell.saysNext(/shell> $/);

    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/What you ran here before \(1 command\) goes along with your next message\./);
    await shell.saysNext(/› [^›]*$/);
    for (const line of ["What did I run?", "And now?"]) {
      shell.press(`${line}\r`);
      await shell.saysNext(new RegExp(`Answer to: ${line.replace("?", "\\?")}`));
      await shell.saysNext(/› [^›]*$/);
    }
    shell.press(CTRL_D);
    await shell.saysNext(/shell> $/);
    shell.press("exit\r");
    await shell.exited();
    const asked = (await said(machine, sessionId)).filter((line) => line.startsWith("user: "));
    expect(asked.map((line) => line.includes("from 42"))).toEqual([false, true, false]);
    expect(await (await machine.store()).typedLines.left()).toEqual([]);
  });

  it("keeps what was piped into it, too", async () => {
    const sessionId = await begin(machine, "Plan a ride");
    const held = gate();
    model.push({ say: "Never to be finished.", hold: held });
    const terminal = machine.start("resume", sessionId);
    for (const line of ["one", "two", "/status"]) terminal.type(line);
    await held.reached;
    const { typedLines } = await machine.store();
    terminal.kill("SIGKILL");
    await terminal.exited();
    expect((await typedLines.left(sessionId)).map(({ text }) => text)).toEqual(["two", "/status"]);
    const { stderr } = await machine.run("resume", sessionId);
    expect(stderr).toContain("2 lines were typed in this session, and not sent.");
    await machine.json("sessions", "delete", sessionId, "--force");
    expect(await typedLines.left(sessionId)).toEqual([]);
  });
});

describe("a store that a stopped process keeps busy", () => {
  it("costs a terminal no message: it says so, and sends it once, or takes it back", async () => {
    const sessionId = await begin(machine, "Plan a flight");
    const before = await said(machine, sessionId);
    const shell = await openShell();
    shell.press(`hermes resume ${sessionId}\r`);
    await shell.saysNext(/› [^›]*$/);
    const first = await holdStore();
    shell.press("To be taken back\r");
    await shell.saysNext(/has been busy for 5 s[\s\S]*Ctrl-C cancels it/);
    shell.press(CTRL_C);
    await shell.saysNext(/Taken back: the message was not sent\./);
    shell.press("To be sent\r");
    await shell.saysNext(/has been busy for 5 s/);
    first.kill("SIGCONT");
    await shell.saysNext(/Answer to: To be sent/);
    await shell.saysNext(/› [^›]*$/);
    shell.press(CTRL_D);
    await shell.saysNext(/shell> $/);
    shell.press("exit\r");
    await shell.exited();
    expect((await said(machine, sessionId)).slice(before.length)).toEqual([
      "user: To be sent",
      "assistant: Answer to: To be sent",
    ]);
  });

  async function holdStore(): Promise<HermesProcess> {
    const file = join(machine.home, "store", "hermes.db");
    const holder = machine.startScript(join(import.meta.dirname, "../fixtures/lock-holder.ts"), file);
    await holder.says(/has the lock/);
    holder.kill("SIGSTOP");
    return holder;
  }
});
