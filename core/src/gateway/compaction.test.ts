import { gate, type ScriptedAnswer } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentRequest } from "../agent/agent.ts";
import { HermesError } from "../base/errors.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import type { Host } from "../host/host.ts";
import { homeOf } from "../model/place.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";

afterEach(disposeMachines);

/** UTF-16 units that the model of these tests reads, and that a model reads which a session outgrows. */
const READS = 40_000;
const READS_LESS = 30_000;

function answer({ messages }: AgentRequest, reads = READS): ScriptedAnswer {
  const length = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (length > reads) return [{ fail: new HermesError("AGENT_CONTEXT_FULL", { model: "scripted/model" }) }];
  const isSummary = messages.at(-1)?.text.startsWith("[Hermes replaces the beginning");
  return isSummary ? "## Done, do not repeat\nThe harbour was found." : "An answer.";
}

function smallModel(options: Parameters<typeof machine>[0] = {}) {
  const made = machine(options);
  made.model.push(...Array.from({ length: 30 }, () => (request: AgentRequest) => answer(request)));
  return made;
}

/** Asks until hardly anything fits any more. */
async function fill({ runner }: Host, sessionId: SessionId, messages = 5): Promise<void> {
  for (let at = 0; at < messages; at++) {
    const text = `${at}: ${"lorem ".repeat(1_322)}`;
    const message = { role: "user", text } as const;
    await runner.run({ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true, message });
  }
}

describe("a session that its model finds too long", () => {
  it("a handoff compacts it, is answered, and says so in one line", async () => {
    const { clock, platform, model, until, gateway, terminal } = smallModel();
    const host = await terminal();
    const { store } = host;
    const id = await terminalSession(host);
    await fill(host, id);
    expect(await store.compactions.latest(id)).toBeNull();
    await gateway();
    await requestHandoff({ store, clock }, { sessionId: id, to: homeOf("loopback"), from: "terminal" });
    await until(async () => (await store.handoffs.latestOf(id))?.state === "completed");
    await until(async () => (await store.outbox.openLanes("loopback", undefined)).length === 0);
    const texts = platform.textsIn("home", platform.threads.at(-1)?.id);
    expect(texts.slice(-2)).toEqual([
      "An answer.",
      expect.stringMatching(/^\(compacted: \d+ messages, 10k → \d+k tokens\)$/),
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The harbour was found.");
    expect(texts.join("\n")).toContain("12 messages");
    await platform.write("And now?", { threadId: platform.threads.at(-1)?.id });
    await until(() => platform.textsIn("home", platform.threads.at(-1)?.id).at(-1) === "An answer.");
  });

  it("/compact in a chat says what it did, /status tells it, and others may not", async () => {
    const { platform, until, gateway, model } = smallModel({
      ...{ homeChannel: { chatId: "team", shared: true }, operators: ["person"], allowedUsers: ["person", "other"] },
    });
    const { host } = await gateway();
    const last = () => platform.textsIn("team").at(-1) ?? "";
    for (let at = 0; at < 5; at++) await platform.write(`${at}: ${"lorem ".repeat(1_000)}`, { chatId: "team" });
    await until(() => platform.textsIn("team").filter((text) => text === "An answer.").length === 5);
    await platform.write("/compact", { chatId: "team", sender: { id: "other" } });
    await until(() => last().startsWith("You may not do that"));
    await platform.write("/compact the harbour", { chatId: "team" });
    await until(() => last().startsWith("Compacted: "));
    expect(last()).toMatch(/^Compacted: 4 messages, 8k → \dk tokens\./);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("the harbour");
    await platform.write("/status", { chatId: "team" });
    await until(() => last().includes("compacted for the model just now: 4 messages"));
    await platform.write("/compact", { chatId: "team" });
    await until(() => last().includes("There is nothing to compact in this session"));
    expect(host.store).toBeDefined();
  });

  it("a full session that was never compacted takes a message, /retry and a handoff", async () => {
    for (const asks of ["a message", "/retry", "a handoff"] as const) {
      const { clock, platform, model, until, gateway, terminal } = machine({
        ...{ operators: ["person"], allowedUsers: ["person"] },
      });
      model.push(...Array.from({ length: 8 }, () => "An answer."));
      const host = await terminal();
      const { store } = host;
      const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
      await fill(host, id, 8);
      // Another model from now on, which reads less than there is already.
      model.push(...Array.from({ length: 30 }, () => (request: AgentRequest) => answer(request, READS_LESS)));
      await gateway();
      if (asks === "a handoff") {
        await requestHandoff({ store, clock }, { sessionId: id, to: homeOf("loopback"), from: "terminal" });
        await until(async () => (await store.handoffs.latestOf(id))?.state === "completed");
      } else {
        await platform.write(`/resume ${id}`);
        await until(() => platform.textsIn("home").length > 0);
        await platform.write(asks === "/retry" ? "/retry" : "And now?");
        await until(async () => (await store.compactions.latest(id)) !== null);
        await until(() => platform.textsIn("home").at(-1)?.startsWith("(compacted: ") ?? false);
      }
      expect(await store.compactions.latest(id), asks).not.toBeNull();
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The harbour was found.");
    }
  });

  it("/compact in a chat shows that something is being done, until it is", async () => {
    const { platform, until, gateway, model } = machine({ operators: ["person"], allowedUsers: ["person"] });
    await gateway();
    for (let at = 0; at < 5; at++) await platform.write(`${at}: ${"lorem ".repeat(1_000)}`);
    await until(() => platform.textsIn("home").filter((text) => text === "An answer.").length === 5);
    const before = platform.typing.length;
    const held = gate();
    model.push([{ hold: held }, { say: "The harbour was found." }]);
    await platform.write("/compress the harbour");
    await until(() => platform.typing.length > before + 1);
    held.open();
    await until(() => platform.textsIn("home").at(-1)?.startsWith("Compacted: ") ?? false);
  });
});
