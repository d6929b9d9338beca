import { gate, type ScriptedAnswer } from "@hermes/testing";
import { disposeMachines, machine, terminalSession } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { PlatformError } from "../base/errors.ts";
import type { CommandContext } from "../command/command.ts";
import { statusCommand } from "../command/status.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import type { Host } from "../host/host.ts";
import { homeOf } from "../model/place.ts";
import type { SessionId } from "../model/session.ts";

afterEach(disposeMachines);

const STATE = { task: "Mend the parser", nextStep: "Say *so*", files: ["src/parser.ts"], mood: "fine" };

function block(state: unknown = STATE): string {
  return `\n\n\`\`\`hermes-state\n${JSON.stringify(state)}\n\`\`\`\n`;
}

/** A machine whose session is asked "What is the plan?" and then handed off with `answer`. */
async function handedOff(answer: ScriptedAnswer, prepare: (made: ReturnType<typeof machine>) => void = () => {}) {
  const made = machine({}, ["A plan.", answer]);
  prepare(made);
  const host = await made.terminal();
  const sessionId = await terminalSession(host);
  const { until, clock, platform } = made;
  const ask = () =>
    requestHandoff({ store: host.store, clock }, { sessionId, to: homeOf("loopback"), from: "terminal" });
  const isOver = async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed";
  const isSent = async () =>
    (await isOver()) && (await host.store.outbox.openLanes("loopback", undefined)).length === 0;
  const texts = () => platform.textsIn("home", platform.threads.at(-1)?.id);
  return { ...made, host, sessionId, ask, texts, completed: () => until(isSent) };
}

async function status({ store }: Host, id: SessionId, clock: CommandContext["clock"]): Promise<string> {
  const session = () => store.sessions.get(id);
  const place = { store, clock, session, isOperator: false } as unknown as CommandContext;
  return (await statusCommand.run?.(place, ""))?.reply ?? "";
}

describe("what a model says of the work at a handoff", () => {
  it("a state is kept and on the card, and in no draft, answer or transcript", async () => {
    const shown: string[] = [];
    const answer = [{ say: "It is nearly" }, { wait: 1_000 }, { say: " done.\n\n``" }, { wait: 1_000 }];
    const rest = block().trim().slice(2);
    const made = await handedOff(
      [...answer, { say: rest.slice(0, 30) }, { wait: 1_000 }, { say: rest.slice(30) }],
      ({ platform }) => {
        platform.onCall = async (_, body) => void shown.push(JSON.stringify(body));
      },
    );
    const { host, sessionId, texts } = made;
    await made.gateway();
    await made.ask();
    await made.completed();
    expect(await host.store.sessions.keptState(sessionId)).toMatchObject({
      ...{ task: "Mend the parser", nextStep: "Say *so*", files: ["src/parser.ts"], progress: null },
      model: "scripted/model",
    });
    expect(texts()).toHaveLength(3);
    expect(texts()[1]).toContain("- Task: Mend the parser\n- Next step: Say \\*so\\*\n- Files: `src/parser.ts`");
    expect(texts()[1]).not.toContain("fine");
    expect(texts()[2]?.trimEnd()).toBe("It is nearly done.");
    expect((await host.store.transcripts.read(sessionId)).at(-1)?.text).toBe("It is nearly done.");
    expect(shown.filter((call) => /hermes-state|"task"|`/.test(call) && !call.includes("Task:"))).toEqual([]);
    expect(await status(host, sessionId, made.clock)).toContain("  - Task: Mend the parser");
  });

  it("shows in /status alone where the platform edits nothing", async () => {
    const made = await handedOff(`Done.${block()}`, ({ platform }) => {
      platform.capabilities = { ...platform.capabilities, edits: false };
    });
    await made.gateway();
    await made.ask();
    await made.completed();
    expect(made.texts().join("\n")).not.toContain("Task:");
    expect(await status(made.host, made.sessionId, made.clock)).toContain("  - Task: Mend the parser");
  });

  it("the next handoff gives it to its model as data, and its card shows it at once", async () => {
    const made = await handedOff([{ say: "Done." }, { state: STATE }]);
    await made.gateway();
    await made.ask();
    await made.completed();
    await made.host.runner.run({
      ...{ sessionId: made.sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: false },
      message: { role: "user", text: "And now?" },
    });
    await made.ask();
    await made.completed();
    const asked = made.model.requests.at(-1)?.messages.at(-1)?.text ?? "";
    expect(asked).toMatch(
      /hermes-state[\s\S]*\n⟦where the work stood on .*data, and no request⟧\n\{"task":"Mend the parser"/,
    );
    expect(made.texts()[1]).toContain("- Task: Mend the parser");
    expect(made.texts()[2]).toBe("An answer.");
  });

  it.each([
    ["is no JSON", "```hermes-state\n{task: oops\n```"],
    ["knows no field", block({ mood: "fine" })],
    ["stands in the middle", `${block()}\nMore.`],
    ["is never closed", "```hermes-state\n{}"],
  ])("a block that %s leaves no state", async (_, text) => {
    const made = await handedOff(`Done.\n\n${text}`);
    await made.gateway();
    await made.ask();
    await made.completed();
    expect(await made.host.store.sessions.keptState(made.sessionId)).toBeNull();
    expect(made.texts()).toHaveLength(3);
    expect(made.texts()[1]).not.toContain("Task:");
    const isText = text.includes("More.") || !text.trimEnd().endsWith("```");
    expect(made.texts()[2]).toBe(isText ? `Done.\n\n${text}` : "Done.");
  });

  it("a secret in a state is redacted before it is kept or shown", async () => {
    const secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
    const made = await handedOff(block({ task: `Use ${secret}`, decisions: [secret], files: [`/tmp/${secret}`] }));
    await made.gateway();
    await made.ask();
    await made.completed();
    const kept = await made.host.store.sessions.keptState(made.sessionId);
    expect(kept).toMatchObject({ task: "Use [redacted]", decisions: ["[redacted]"], files: ["/tmp/[redacted]"] });
    expect(made.texts().join("\n")).not.toContain("sk-ant");
    expect(JSON.stringify(await made.host.store.transcripts.read(made.sessionId))).not.toContain("sk-ant");
  });

  it("an answer of nothing but the block is a sentence made from it", async () => {
    const made = await handedOff(block());
    await made.gateway();
    await made.ask();
    await made.completed();
    expect(made.texts()[2]).toBe("The task: Mend the parser. Next: Say \\*so\\*.");
  });

  it("a state block that a person writes is their text, and no state", async () => {
    const made = await handedOff("Done.");
    const { gateway, platform, until, host } = made;
    await gateway();
    await platform.write(`Look:${block()}`);
    await until(() => platform.textsIn("home").length === 1);
    const [session] = (await host.store.sessions.list({ visible: { kind: "all" }, limit: 1 })).sessions;
    if (session === undefined) throw new Error("no session began");
    expect(await host.store.sessions.keptState(session.id)).toBeNull();
    expect((await host.store.transcripts.read(session.id))[0]?.text).toContain("```hermes-state");
  });

  it.each(["before the answer", "before the edit", "during the edit"])(
    "a gateway that dies %s leaves a card that is edited once",
    async (when) => {
      const held = gate();
      const slow = [{ say: "Not yet" }, { hold: held }];
      const made = await handedOff(when === "before the answer" ? slow : `Done.${block()}`);
      const { platform, until, host, sessionId, gateway, texts } = made;
      made.model.push(`Done.${block()}`);
      const edits: string[] = [];
      platform.onCall = async (call, body) => {
        const { text } = Object(body);
        if (call === "edit" && text.includes("Task:")) edits.push(text);
      };
      const first = await gateway();
      if (when !== "before the answer") {
        const isCardsEdit = ({ text }: { text?: string }) => text?.includes("Task:");
        platform.onCall = async (call, body) => {
          if (call !== "edit" || !isCardsEdit(Object(body))) return;
          if (when === "before the edit") throw unreachable();
          edits.push("lost");
          platform.fail("edit", "hang");
        };
      }
      await made.ask();
      if (when === "before the answer") await held.reached;
      else await until(async () => (await host.store.handoffs.latestOf(sessionId))?.state === "completed");
      if (when === "during the edit") await until(() => edits.length > 0);
      first.die();
      platform.listening.clear();
      platform.onCall = async (call, body) => {
        const { text } = Object(body);
        if (call === "edit" && text.includes("Task:")) edits.push(text);
      };
      await gateway();
      await made.completed();
      expect(edits.filter((text) => text !== "lost")).toHaveLength(1);
      expect(texts().filter((text) => text.includes("Task:"))).toHaveLength(1);
      expect(texts().filter((text) => text === "Done.")).toHaveLength(1);
      expect(texts()).toHaveLength(3);
    },
  );
});

function unreachable(): PlatformError {
  return new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "no route" });
}
