import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gate } from "@hermes/testing";
import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Tool } from "../agent/agent.ts";
import { systemClock } from "../base/clock.ts";
import { FileStore } from "../files/file-store.ts";
import { FILES } from "../files/files.ts";
import { requestHandoff } from "../handoff/request-handoff.ts";
import { homeOf } from "../model/place.ts";
import { EVERY_SESSION, OPERATOR } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { questionTool } from "../tools/question.ts";
import { SendFileTool } from "../tools/send-file.ts";
import { testPolicy } from "../turn/test-policy.ts";
import { TOOL_POLICY, type ToolPolicy } from "../turn/tool-policy.ts";
import { HOME } from "./inbound/test-asking.ts";

const folders: string[] = [];

afterEach(async () => {
  await disposeMachines();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const REPORT = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x2d, 0, 255, 254, 13, 10, 128]);
const send = (path = "report.pdf", caption?: string) => ({ call: [{ name: "send_file", input: { path, caption } }] });
const touch = { call: [{ name: "touch", input: {} }] };

interface Sending {
  readonly largest?: number;
  readonly options?: Parameters<typeof machine>[0];
}

/** A machine whose agent sends files of a folder. Calls of `touch` need a yes. */
function sending(script: Parameters<typeof machine>[1], { largest = 1_000_000, options = {} }: Sending = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-sent-"));
  folders.push(folder);
  writeFileSync(join(folder, "report.pdf"), REPORT);
  const files = new FileStore(folder, systemClock);
  const tool: Tool = {
    ...{ name: "touch", description: "touches", input: z.object({}), effect: "runs" },
    summary: () => "touch",
    subjects: () => ["x"],
    run: async () => ({ text: "touched" }),
  };
  const tools = [tool, questionTool as Tool, new SendFileTool(files, () => false) as Tool];
  const policy = testPolicy(tools, {}, ["send_file"]);
  /** In the chat `team`, others read. */
  const visibilityOf: ToolPolicy["visibilityOf"] = async ({ surface: here }) => {
    const [chat] = here.split(":t=") as [SessionKey];
    return chat.includes("team") ? { kind: "of-chat", chat, here: here as SessionKey } : EVERY_SESSION;
  };
  const on = machine(options, script, [], (container) => {
    container.registerInstance(TOOL_POLICY, { ...policy, directoryOf: () => folder, visibilityOf });
    container.registerInstance(FILES, files);
  });
  const { platform, clock } = on;
  platform.now = () => clock.now();
  platform.capabilities = { ...platform.capabilities, files: largest === 0 ? false : { largest } };
  /** What stands in a chat: the texts, and of files their names. */
  const saidIn = (chatId = "home", threadId?: string) =>
    platform.messages
      .filter((message) => message.chatId === chatId && message.threadId === threadId)
      .flatMap(({ text, files: sent = [] }) => [
        ...sent.map(({ name }) => `[${name}]`),
        ...(text === "" ? [] : [text]),
      ]);
  const sentFiles = () => platform.messages.flatMap(({ files: sent = [] }) => sent);
  const press = async (label: RegExp) => {
    const asked = platform.messages.findLast((message) => (message.choices ?? []).length > 0);
    const choice = asked?.choices?.find((one) => label.test(one.label));
    await platform.press(asked?.id ?? "", choice?.id ?? "", { id: "person", name: "Ada" });
  };
  const isShown = async ({ approvals }: Store) => (await approvals.shownAt(HOME)).some((one) => one.shownAt !== null);
  return { ...on, folder, saidIn, sentFiles, press, isShown };
}

it("a file for the terminal stays away from a mirror that others read, which says so", async () => {
  const on = sending([[send(), { say: "Here it is." }]]);
  const { store, runner } = (await on.gateway()).host;
  const session = await store.sessions.create({ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null });
  const conversation = { platform: "loopback", chatId: "team", kind: "group" } as const;
  const at = { key: buildSessionKey(conversation), conversation, sessionId: session.id };
  await store.bindings.bind({ ...at, mirrors: true });
  await runner.run({
    ...{ sessionId: session.id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
    message: { role: "user", text: "Send it" },
  });
  await on.until(() => on.saidIn("team").some((text) => text.includes("Here it is.")));
  expect(on.sentFiles()).toEqual([]);
  expect(on.saidIn("team").join()).toContain("report.pdf** is not sent: others read this chat");
});

describe("a file that the agent sends", () => {
  it("a sent file goes out with the answer, byte for byte, and once", async () => {
    const on = sending([[send("report.pdf", "The  numbers"), { say: "Here it is." }], "Nothing more."]);
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.sentFiles().length > 0);
    expect(on.saidIn()).toEqual(["Here it is.", "[report.pdf]", "The numbers"]);
    expect(Buffer.from(on.sentFiles()[0]?.content ?? [])).toEqual(REPORT);
    await on.platform.write("And?");
    await on.until(() => on.saidIn().includes("Nothing more."));
    expect(on.sentFiles()).toHaveLength(1);
  });

  it("a sent file needs no words", async () => {
    const on = sending([[send()]]);
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.sentFiles().length > 0);
    expect(on.saidIn()).toEqual(["[report.pdf]"]);
  });

  it("a sent file goes out once when the gateway dies right after the call", async () => {
    const held = gate();
    const on = sending([[send(), { hold: held }, { say: "Here." }], "Here it is."]);
    const first = await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => held.reached.then(() => true));
    first.die();
    on.platform.listening.clear();
    await on.gateway();
    await on.until(() => on.sentFiles().length > 0);
    expect(on.saidIn().filter((text) => text === "[report.pdf]")).toHaveLength(1);
  });

  it("a sent file is named where its turn is not gone on with after three attempts", async () => {
    const holds = Array.from({ length: 5 }, () => gate());
    const on = sending(holds.map((hold, at) => [...(at === 0 ? [send()] : []), { hold }, { say: "Here." }]));
    let served = await on.gateway();
    await on.platform.write("Send it");
    for (const held of holds) {
      let isAsked = false;
      void held.reached.then(() => {
        isAsked = true;
      });
      await on.until(() => isAsked || on.saidIn().length > 0);
      if (!isAsked) break;
      served.die();
      on.platform.listening.clear();
      served = await on.gateway();
    }
    expect(on.sentFiles()).toEqual([]);
    expect(on.saidIn().join()).toContain("**report.pdf** was not sent: ask for it again.");
  });

  it("a sent file goes out once when the gateway dies before its message is sent", async () => {
    const on = sending([[send(), { say: "Here." }]]);
    on.platform.fail("send", "hang");
    const first = await on.gateway();
    await on.platform.write("Send it");
    await on.until(async () => (await first.host.store.outbox.head(HOME))?.state === "sending");
    first.die();
    on.platform.listening.clear();
    await on.gateway();
    await on.until(() => on.sentFiles().length > 0);
    await on.clock.advance(60_000);
    expect(on.saidIn().filter((text) => text === "[report.pdf]")).toHaveLength(1);
  });

  it("a file below words that had grown is sent once where it may have arrived", async () => {
    const held = gate();
    const on = sending([[{ say: "I look." }, { hold: held }, send()], "Nothing more."]);
    on.platform.capabilities = { ...on.platform.capabilities, idempotentSend: false };
    const { host } = await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.saidIn().includes("I look."));
    let uploads = 0;
    on.platform.onCall = async (call) => {
      if (call === "send" && ++uploads === 1) throw new Error("the connection was cut");
    };
    held.open();
    await on.until(async () => uploads > 0 && (await host.store.outbox.head(HOME)) === null);
    expect(uploads).toBe(1);
    expect(await host.store.deliveries.list({ limit: 9 })).toMatchObject([{ state: "uncertain" }]);
    expect(on.saidIn()).toEqual(["I look."]);
  });

  it("a sent file stands above the question of a waiting turn, once", async () => {
    const on = sending([[send(), touch, send("report.pdf", "Again"), { say: "Done." }]]);
    const { host } = await on.gateway();
    await on.platform.write("Send it, then touch");
    await on.until(() => on.isShown(host.store));
    expect(on.saidIn()[0]).toBe("[report.pdf]");
    await on.press(/once/);
    await on.until(() => on.sentFiles().length > 1);
    expect(on.saidIn().filter((text) => text === "[report.pdf]")).toHaveLength(2);
    expect(on.saidIn().slice(-3)).toEqual(["Done.", "[report.pdf]", "Again"]);
  });

  /** A turn of the terminal that has sent a file, and that a handoff takes to the home channel. */
  async function handedOff(options: Sending["options"] = {}) {
    const held = gate();
    const on = sending([[send(), { hold: held }, { say: "…" }, touch], [{ say: "Done." }]], { options });
    const terminal = await on.terminal();
    const session = await terminal.store.sessions.create({
      ...{ title: "Plan", user: OPERATOR, origin: "terminal", originChat: null },
    });
    await on.gateway();
    const running = terminal.runner.run({
      ...{ sessionId: session.id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text: "Send it" },
    });
    await on.until(() => held.reached.then(() => true));
    const { store, clock } = terminal;
    await requestHandoff({ store, clock }, { sessionId: session.id, to: homeOf("loopback"), from: "terminal" });
    held.open();
    let isParked = false;
    void running.then(({ state }) => {
      isParked = state === "parked";
    });
    await on.until(() => isParked);
    return { ...on, store };
  }

  it("a sent file goes out where its turn has been handed off to", async () => {
    const on = await handedOff();
    await on.until(() => on.sentFiles().length > 0);
    const [thread] = on.platform.threads;
    expect(on.saidIn("home", thread?.id).filter((text) => text === "[report.pdf]")).toHaveLength(1);
  });

  it("a sent file stays behind if its turn is handed off to where others read", async () => {
    const on = await handedOff({ homeChannel: { chatId: "team", shared: true }, operators: ["person"] });
    const said = () => on.platform.messages.map(({ text }) => text);
    const told =
      "📎 **report.pdf** is not sent: others read this chat, and it was asked for elsewhere. Ask for it here.";
    await on.until(() => on.sentFiles().length > 0 || said().includes(told));
    await on.clock.advance(5_000);
    expect(on.sentFiles()).toEqual([]);
    expect(said().filter((text) => text === told)).toHaveLength(1);
  });

  it("a sent file goes out where others read if its call ran there", async () => {
    const on = sending([[send(), { say: "Here." }]], { options: { operators: ["person"], requireMention: false } });
    await on.gateway();
    await on.platform.write("Send it", { chatId: "team" });
    await on.until(() => on.sentFiles().length > 0);
    expect(on.saidIn("team")).toEqual(["Here.", "[report.pdf]"]);
  });

  it("a sent file goes with what was said in a turn that is stopped", async () => {
    const held = gate();
    const on = sending([[send(), { say: "One " }, { hold: held }, { say: "two" }]]);
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => held.reached.then(() => true));
    await on.platform.write("/stop");
    await on.until(() => on.sentFiles().length > 0);
    expect(on.saidIn().join(" ")).toContain("*(Stopped.)*");
  });

  it("a file is not sent again by the turn after /undo", async () => {
    const on = sending([[send(), { say: "Here." }], "Hello."]);
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.sentFiles().length > 0);
    await on.platform.write("/undo");
    await on.platform.write("Hi");
    await on.until(() => on.saidIn().includes("Hello."));
    expect(on.sentFiles()).toHaveLength(1);
  });

  it.each([
    { largest: 5, why: "files of up to 5 bytes can be sent here" },
    { largest: 0, why: "no files can be sent here" },
  ])("a line says where it is if $why", async ({ largest, why }) => {
    const on = sending([[send(), { say: "Here it is." }]], { largest });
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.saidIn().length > 1);
    const [answer, line = ""] = on.saidIn();
    expect(answer).toBe("Here it is.");
    expect(line).toContain(`📎 **report.pdf** (11 bytes) is not sent: ${why}. It is \`${on.folder}/report.pdf\` on `);
  });

  it("a text file is read in the message where no files can be sent", async () => {
    const on = sending([[send("notes.md"), { say: "Here." }]], { largest: 0 });
    writeFileSync(join(on.folder, "notes.md"), "# Notes\n");
    await on.gateway();
    await on.platform.write("Send it");
    await on.until(() => on.saidIn().length > 1);
    expect(on.saidIn()).toEqual(["Here.", "**notes.md**\n\n```\n# Notes\n\n```"]);
  });

  it("a line says that it could not be read if it is gone from the home", async () => {
    const on = sending([[send(), { say: "Here." }]]);
    const { host } = await on.gateway();
    const files = host.files;
    const { hash } = await files.keep(REPORT, { name: "report.pdf", mediaType: "application/pdf" });
    on.platform.onCall = async (call) => {
      if (call === "send") rmSync(join(on.folder, "files", hash), { force: true });
    };
    await on.platform.write("Send it");
    await on.until(() => on.saidIn().length > 1);
    expect(on.saidIn()).toEqual(["Here.", "report.pdf could not be read any more."]);
  });
});
