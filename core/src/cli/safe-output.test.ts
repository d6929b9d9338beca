import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import { logFileOf } from "../log/file-logger.ts";
import { runCli } from "./program.ts";
import { createTestBench } from "./test-bench.ts";
import { createTestTerminal } from "./test-terminal.ts";

/** Sets the clipboard and the title, blinks, hides, turns around, and whispers to a model. */
const HOSTILE =
  "x\x1b]52;c;aGk=\x07\x1b]0;owned\x07\x1b[5m\x9b8m\x08\x7f\u200b\u202e\u2066\u200d\ufeff\u{e0041}\u{e0042}y";

/** What is left of it where it is shown, on a screen and in a pipe. */
const SHOWN = "x␛]52;c;aGk=␇␛]0;owned␇␛[5m\ufffd8m␈␡y";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }), hasPager: true });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Everything that a command writes, byte for byte. */
async function rawOutput(argv: readonly string[], where: { readonly onScreen: boolean }, keys = ""): Promise<string> {
  let raw = "";
  const stream = () =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        raw += String(chunk);
        done();
      },
    });
  const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder });
  terminal.press(keys);
  terminal.end();
  const screen = where.onScreen ? { isScreen: true, color: true } : {};
  const io = { ...terminal.io, stdout: stream(), stderr: stream(), ...screen };
  await runCli(argv, { io, override: bench.override });
  return raw;
}

/** Hermes' own: colours, and what a line that is drawn again and again needs. */
const ESCAPE = "\x1b";
const OWN = new RegExp(`${ESCAPE}\\[(?:\\d{1,2}m|[KJ]|\\?7[hl]|\\d*A)|\r`, "g");

function expectSafe(raw: string, what: string): void {
  const foreign = raw.replaceAll(OWN, (own) => (own === "\x1b[5m" ? own : ""));
  expect(foreign.match(/(?![\n\t])\p{Cc}|[\p{DI}\p{NChar}]/gu), what).toBeNull();
}

async function plantEverywhere(): Promise<void> {
  const { store, holder } = bench.host;
  const session = await bench.begin(HOSTILE);
  await bench.exchange(session.id, `asked ${HOSTILE}`, `# said ${HOSTILE}\n\n\`${HOSTILE}\``);
  const home = {
    chatId: "1",
    name: HOSTILE,
    kind: "dm",
    key: buildSessionKey({ platform: "pager", chatId: "1", kind: "dm" }),
  } as const;
  const pager = {
    platform: "pager",
    health: { state: "down", detail: HOSTILE, address: HOSTILE },
    standby: false,
  } as const;
  const platforms = [{ ...pager, takesHandoffs: true, home }];
  await store.gateways.heartbeat({ id: "gw", holder, startedAt: clock.now(), configPath: `/${HOSTILE}`, platforms });
  const handoff = await bench.requestHandoff(session.id);
  await store.handoffs.claimHandoff(handoff.id, holder, 15_000);
  await store.handoffs.failHandoff(handoff.id, holder, { code: "HANDOFF_SEND_FAILED", text: HOSTILE });
  const chat = { platform: "pager", chatId: HOSTILE, kind: "dm" } as const;
  const message = { kind: "answer", markdown: HOSTILE } as const;
  const entry = { key: buildSessionKey(chat), conversation: chat, message, sessionId: session.id };
  const [row] = await store.outbox.enqueue([entry]);
  if (row === undefined) throw new Error("nothing was queued");
  await store.outbox.settleSend(row.id, { kind: "failed", error: { code: "PLATFORM_FORBIDDEN", text: HOSTILE } });
  bench.host.logger.error({ name: HOSTILE }, HOSTILE);
}

describe("what a stranger wrote steers no terminal and hides from no reader", () => {
  const commands = [
    ["sessions"],
    ["sessions", "show", "1"],
    ["sessions", "search", "asked"],
    ["sessions", "export", "1"],
    ["handoffs"],
    ["handoffs", "show", "1"],
    ["deliveries"],
    ["deliveries", "show", "1"],
    ["home"],
    ["home", "identities"],
    ["status"],
    ["plugins"],
    ["sessions", "show", HOSTILE],
    [HOSTILE],
    ["handoff", "pager", "-s", "1"],
  ];
  test.each(commands.map((argv) => [argv]))("hermes %j in a pipe, on a screen and as JSON", async (argv) => {
    await plantEverywhere();
    for (const onScreen of [false, true]) {
      expectSafe(await rawOutput(argv, { onScreen }), `${argv.join(" ")} on ${onScreen ? "a screen" : "a pipe"}`);
    }
    expectSafe(await rawOutput([...argv, "--json"], { onScreen: false }), `${argv.join(" ")} --json`);
  });

  test("hermes chat -q, whose answer comes piece by piece, in a pipe and on a screen", async () => {
    for (const onScreen of [false, true]) {
      bench.model.push([
        { say: "Tab:\tin. " },
        ...[...HOSTILE].map((letter) => ({ say: letter })),
        { say: ` 👩‍👩‍👧 می\u200cخواهم\n` },
      ]);
      const raw = await rawOutput(["chat", "-q", HOSTILE], { onScreen });
      expectSafe(raw.replaceAll(/👩‍👩‍👧|می\u200cخواهم/gu, ""), "chat -q");
      expect(raw).toContain(SHOWN);
      expect(raw).toContain("👩‍👩‍👧 می\u200cخواهم");
      if (!onScreen) expect(raw).toBe(`Tab:\tin. ${SHOWN} 👩‍👩‍👧 می\u200cخواهم\n\n`);
    }
  });

  test("hermes chat with piped lines, whose commands name such sessions", async () => {
    await plantEverywhere();
    bench.model.push(HOSTILE);
    const raw = await rawOutput(
      ["chat", "-s", "1"],
      { onScreen: false },
      "/sessions\n/status\n/history\nhello\n/handoff pager\n",
    );
    expectSafe(raw, "chat");
    expect(raw).toContain(SHOWN);
  });

  test("a file that a session is exported to", async () => {
    await plantEverywhere();
    for (const format of ["markdown", "json"]) {
      await rawOutput(["sessions", "export", "1", "-o", `out.${format}`, "--format", format], { onScreen: false });
      expectSafe(readFileSync(join(bench.folder, `out.${format}`), "utf8"), format);
    }
  });

  test("JSON reads back as it was said, and the log is safe to be looked at", async () => {
    await plantEverywhere();
    const document = JSON.parse(await rawOutput(["sessions", "show", "1", "--json"], { onScreen: false }));
    expect(document.messages[0].text).toBe(`asked ${HOSTILE}`);
    const log = readFileSync(logFileOf(bench.home), "utf8");
    expectSafe(log, "the log");
    expect(log).toContain("owned");
  });

  test("an error nobody foresaw", async () => {
    const failing = {
      ...bench.model,
      run: () => {
        throw new HermesError("AGENT_FAILED", { reason: HOSTILE });
      },
    };
    Object.assign(bench.model, failing);
    for (const argv of [
      ["chat", "-q", "x"],
      ["chat", "-q", "x", "--json"],
    ]) {
      expectSafe(await rawOutput(argv, { onScreen: false }), argv.join(" "));
    }
  });
});
