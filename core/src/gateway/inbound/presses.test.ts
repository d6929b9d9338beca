import { gate } from "@hermes/testing";
import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { choiceIdOf } from "../../model/approval.ts";
import { asking, IN_TEAM, question, toTeam, touch } from "./test-asking.ts";

afterEach(disposeMachines);

describe("a press on a question", () => {
  it("lets the call run, and the answer comes as a new message", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [
      [{ say: "I look. " }, touch(), { say: "Done." }],
    ]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    expect(ran).toEqual([]);
    expect(platform.textsIn("home")[0]).toBe("I look.");
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
    expect(platform.textsIn("home")).toEqual(["I look.", expect.stringMatching(/Allowed.*Ada/), "Done."]);
    expect(message.choices).toEqual([]);
  });

  it("changes the question within two seconds, while the call is still running", async () => {
    const held = gate();
    const { gateway, clock, say, asked, press } = asking({}, [[touch(), { hold: held }, { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/);
    await clock.advance(1_900);
    expect(message.text).toMatch(/Allowed/);
    held.open();
  });

  it("a question is decided once, however often it is pressed", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    const choices = message.choices ?? [];
    await Promise.all([
      press(message, /once/),
      press({ ...message, choices }, /No/),
      press({ ...message, choices }, /once/),
    ]);
    await until(() => platform.textsIn("home").includes("Done."));
    await press({ ...message, choices }, /No/);
    expect(ran).toEqual(["x"]);
    expect(platform.messages).toHaveLength(2);
  });

  it("a stranger's press is counted, and nothing else", async () => {
    const { platform, gateway, clock, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/, "stranger");
    await clock.advance(3_000);
    expect(await host.store.users.refused("loopback", undefined)).toBe(1);
    expect(ran).toEqual([]);
    expect(platform.messages).toHaveLength(1);
  });

  it("a press of somebody who may only talk is answered by one line", async () => {
    const { platform, gateway, clock, ran, say, asked, press } = asking(IN_TEAM, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go", toTeam("person"));
    const message = await asked(host.store);
    await press(message, /once/, "member");
    await press(message, /once/, "member");
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(platform.textsIn("team").slice(1)).toEqual(["Only an operator can answer this."]);
  });

  it("a press decides nothing in a chat that the question was not sent to", async () => {
    const { platform, gateway, until, clock, ran, say, asked } = asking(IN_TEAM, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await say("/status", toTeam("person"));
    await until(() => platform.textsIn("team").length > 0);
    const [elsewhere] = platform.messages.filter(({ chatId }) => chatId === "team");
    await platform.press(elsewhere?.id ?? "", message.choices?.[0]?.id ?? "");
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(1);
  });

  it("allows nothing that the question does not offer", async () => {
    const { platform, gateway, clock, ran, say, asked } = asking({}, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    const [open] = await host.store.approvals.open();
    if (!open) throw new Error("nothing is open");
    await platform.press(message.id, choiceIdOf({ approvalId: open.id, verb: "answer", answer: 0 }));
    await clock.advance(3_000);
    expect(ran).toEqual([]);
    expect(await host.store.approvals.open()).toHaveLength(1);
  });

  it("counts after a restart, and the next gateway goes on with the turn", async () => {
    const { platform, gateway, until, ran, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    const first = await gateway();
    await say("Go");
    const message = await asked(first.host.store);
    await first.end();
    await gateway();
    await press(message, /once/);
    await until(() => platform.textsIn("home").includes("Done."));
    expect(ran).toEqual(["x"]);
  });

  it("answers the agent's own question, which its author may do, too", async () => {
    const { platform, gateway, until, say, asked, press, model } = asking(IN_TEAM, [[question, { say: "Brewing." }]]);
    const { host } = await gateway();
    await say("Go", toTeam("member"));
    const message = await asked(host.store);
    await press(message, /Black/, "member");
    await until(() => platform.textsIn("team").includes("Brewing."));
    expect(model.requests).toHaveLength(1);
    expect(message.text).toMatch(/Black/);
  });

  it("a press on a platform without edits is reported above the answer", async () => {
    const { platform, gateway, until, say, asked, press } = asking({}, [[touch(), { say: "Done." }]]);
    platform.capabilities = { ...platform.capabilities, edits: false };
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    await press(message, /once/);
    await until(() => platform.textsIn("home").some((text) => text.includes("Done.")));
    expect(platform.textsIn("home").at(-1)).toMatch(/Allowed[\s\S]*Ada[\s\S]*Done\./);
    await press(message, /No/);
    await until(() => platform.messages.length === 3);
    expect(platform.textsIn("home").at(-1)).toMatch(/Allowed.*Ada/);
  });
});
