import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "vitest";
import type { HermesMachine, HermesProcess } from "../support/hermes-process.ts";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_Z = "\u001a";

let model: ModelServer;
let machine: HermesMachine;
let shell: HermesProcess;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {}, { TERM: "xterm" });
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

beforeEach(async () => {
  shell = machine.startShellInWindow();
  await shell.saysNext(/shell> $/);
});
afterEach(async () => {
  shell.press(`${CTRL_D}exit\r`);
  shell.kill("SIGHUP");
  await shell.exited();
});

/** Stops what runs in the foreground, and lets it go on, with what is done in between. */
async function stopAndGoOn(meanwhile: () => Promise<unknown> | unknown = () => {}): Promise<void> {
  shell.press(CTRL_Z);
  await shell.saysNext(/Stopped[\s\S]*shell> $/);
  await meanwhile();
  shell.press("fg\r");
  await shell.saysNext(/fg\r?\n/);
}

/** The shell is asked again, and the program before it ended well. */
async function expectLeft(): Promise<void> {
  await shell.saysNext(/shell> $/);
  shell.press("echo ended with $?\r");
  await shell.saysNext(/ended with 0/);
}

describe("after Ctrl-Z and fg", () => {
  it("after Ctrl-Z and fg at the prompt, the typed line is still there, and keys work", async () => {
    shell.press("hermes\r");
    await shell.saysNext(/› [^›]*$/);
    shell.press("Hel");
    await shell.saysNext(/Hel/);
    await stopAndGoOn();
    await shell.saysNext(/› Hel/);
    shell.press("lo\r");
    await shell.saysNext(/Answer to: Hello/);
    await shell.saysNext(/› /);
    await stopAndGoOn();
    await shell.saysNext(/› /);
    shell.press(CTRL_C);
    await shell.saysNext(/Nothing is running/);
    shell.press(CTRL_D);
    await expectLeft();
  });

  it("after Ctrl-Z and fg during an answer, it comes and the next message is taken", async () => {
    const held = gate();
    model.push({ say: "An answer with a break.", hold: held });
    shell.press("hermes\r");
    await shell.saysNext(/› [^›]*$/);
    shell.press("Go\r");
    await held.reached;
    await stopAndGoOn(() => held.open());
    await shell.saysNext(/An answer with a break\./);
    await shell.saysNext(/› /);
    shell.press("And then?\r");
    await shell.saysNext(/Answer to: And then\?/);
    shell.press(CTRL_D);
    await expectLeft();
  });

  it("after Ctrl-Z and fg during an answer, Ctrl-C stops it", async () => {
    const held = gate();
    model.push({ say: "Never to be finished.", hold: held });
    shell.press("hermes\r");
    await shell.saysNext(/› [^›]*$/);
    shell.press("Go\r");
    await shell.saysNext(/Never/);
    await stopAndGoOn();
    await shell.saysNext(/Never/);
    shell.press(CTRL_C);
    await shell.saysNext(/Stopped; what was said so far is kept/);
    shell.press(CTRL_D);
    await expectLeft();
  });

  it("after Ctrl-Z and fg at a question in the chat, it can be answered", async () => {
    shell.press("hermes\r");
    await shell.saysNext(/› [^›]*$/);
    shell.press("/handoff web\r");
    await shell.saysNext(/Start one now\? \(y\/n\) /);
    await stopAndGoOn();
    shell.press("n\r");
    await shell.saysNext(/No gateway is running/);
    shell.press(CTRL_D);
    await expectLeft();
  });

  it("after Ctrl-Z and fg at the list of sessions, one can be chosen", async () => {
    await begin(machine, "Plan a trip");
    shell.press("hermes resume\r");
    await shell.saysNext(/Which one\?[\s\S]*Plan a trip/);
    await stopAndGoOn();
    shell.press("1\r");
    await shell.saysNext(/── in the terminal ──[\s\S]*Answer to: Plan a trip[^›]*› [^›]*$/);
    shell.press(CTRL_D);
    await expectLeft();
  });

  it("after Ctrl-Z and fg at a yes-or-no question, Ctrl-C and the keys work", async () => {
    const sessionId = await begin(machine, "To be deleted");
    shell.press(`hermes sessions delete ${sessionId}\r`);
    await shell.saysNext(/\(y\/n\) $/);
    await stopAndGoOn();
    await shell.saysNext(/\(y\/n\) $/);
    shell.press(CTRL_C);
    await shell.saysNext(/Nothing was deleted/);
    await shell.saysNext(/shell> $/);
    shell.press(`hermes sessions delete ${sessionId}\r`);
    await shell.saysNext(/\(y\/n\) $/);
    await stopAndGoOn();
    shell.press("y\r");
    await shell.saysNext(/Deleted/);
    await expectLeft();
  });
});

it("a chat that was stopped and sent to the background works after fg", async () => {
  shell.press("hermes\r");
  await shell.saysNext(/› [^›]*$/);
  let pid = "";
  await stopAndGoOn(async () => {
    shell.press("jobs -p\r");
    [, pid = ""] = await shell.saysNext(/(\d+)\r?\nshell> $/);
  });
  await shell.saysNext(/› /);
  process.kill(Number(pid), "SIGSTOP");
  await shell.saysNext(/Stopped[\s\S]*shell> $/);
  // The shell says at once that the system has stopped it again. An `fg` before the shell knows would take it for a job
  // that runs, and not let it go on.
  shell.press("set -b\r");
  await shell.saysNext(/set -b[\s\S]*shell> $/);
  shell.press("bg\r");
  await shell.saysNext(/ &\r?\n[\s\S]*Stopped/);
  shell.press("fg\r");
  await shell.saysNext(/› /);
  shell.press("Still there?\r");
  await shell.saysNext(/Answer to: Still there\?/);
  shell.press(CTRL_D);
  await expectLeft();
});
