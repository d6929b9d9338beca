import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";

const built = (path: string) => JSON.stringify(resolve(import.meta.dirname, "../core/dist", path));

/** Two questions of `hermes init` with a check between them, which is longer than the echo stays off by itself. */
const QUESTIONS = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { Asking } from ${built("cli/init/asking.js")};
  import { processIo } from ${built("terminal/io.js")};
  import { Output } from ${built("terminal/output.js")};

  const asking = new Asking(new Output(processIo(), { json: false }), new AbortController().signal);
  await asking.text("Name?");
  await sleep(300);
  console.log("checking");
  await sleep(300);
  const key = await asking.text("Key?", { isUnseen: true });
  console.log(key.length + " characters");
  asking[Symbol.dispose]();
`;

/** Asks in a terminal window, and types `keys` while the check runs. */
async function typeDuringCheck(keys: string, TERM: string): Promise<{ code: number | null; shown: string }> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-unheard-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "questions.mjs");
  writeFileSync(file, QUESTIONS);
  const command = `'${process.execPath}' '${file}'`;
  const window: ChildProcess = spawn("script", ["-qec", command, "/dev/null"], { env: { ...process.env, TERM } });
  let shown = "";
  let typed = 0;
  window.stdout?.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
    for (const [after, answer] of [
      ["Name?", "Ada\r"],
      ["checking", keys],
    ].slice(typed)) {
      if (!shown.includes(after ?? "")) break;
      typed++;
      window.stdin?.write(answer ?? "");
    }
  });
  const code = await new Promise<number | null>((done) => window.once("close", done));
  return { code, shown };
}

it.each(["xterm-256color", "dumb"])("a secret that is typed during a check is not shown (TERM=%s)", async (TERM) => {
  const { shown } = await typeDuringCheck("sk-early\r", TERM);
  expect(shown).toContain("8 characters");
  expect(shown).not.toContain("sk-early");
});

it("Ctrl-C during a check interrupts it", async () => {
  const { code, shown } = await typeDuringCheck("sk\x03", "xterm-256color");
  expect({ code, asked: shown.includes("Key?") }).toEqual({ code: 130, asked: false });
});
