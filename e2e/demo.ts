/**
 * The main job by itself, on a fresh machine: real processes, the real web platform, a home of its own that is removed
 * again. `npm run demo` ends with 0, or says why not; `npm run demo -- --open` stays up and prints the page's address.
 */
import { parseArgs } from "node:util";
import { readOptions } from "../scripts/options.ts";
import { HermesMachine } from "./support/hermes-process.ts";
import { openPage } from "./support/page.ts";

interface SessionDocument {
  readonly id: string;
  readonly title: string;
  readonly lastSurface: string;
  readonly messages: readonly { readonly role: string; readonly text: string; readonly internal?: boolean }[];
}

const TITLE = "Trip to Rome";
const HELP = `npm run demo -- [options]

Hands a session over from a terminal to the page and back, on a machine of its own that is removed again.

  --open  Stays up at the end, and prints the page's address.
  --help  This.`;
const { values } = readOptions(HELP, (args) =>
  parseArgs({ args: [...args], options: { open: { type: "boolean", default: false } } }),
);
const startedAt = performance.now();

try {
  await demo();
} catch (error) {
  console.error(`\n✗ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function demo(): Promise<void> {
  await using machine = new HermesMachine();

  const gateway = await step("a gateway starts and serves the web platform", () => machine.startGateway());

  const terminal = machine.start();
  await step("a person asks something in the terminal, and is answered", async () => {
    terminal.type("Plan three days in Rome for two people.");
    await terminal.says(/Where it stands|stands/);
    terminal.type(`/title ${TITLE}`);
    await terminal.says(new RegExp(TITLE));
  });
  const before = await session(machine);

  const link = await step("/handoff web: the terminal follows each step, prints a link, and leaves", async () => {
    terminal.type("/handoff web");
    const [url] = await terminal.says(/http:\/\/\S+#code=\S+/);
    const code = await terminal.exited();
    check(code === 0, `the terminal ended with ${code}: ${terminal.stderr}`);
    return url;
  });

  const page = await step("the browser opens the link and is signed in", () => openPage(machine, link));
  const threadId = new URL(link).pathname.split("/").at(-1) ?? "";
  const arrived = await step("a fresh thread is there, with the agent's word on where things stand", async () => {
    const { threads } = await page.chats();
    check(threads.length === 1 && threads[0]?.id === threadId, `there are ${threads.length} threads, not one`);
    check(threads[0]?.name === TITLE, `the thread is called ${threads[0]?.name}, not ${TITLE}`);
    const { messages } = await page.messages(threadId);
    const kinds = messages.map(({ kind }) => kind).join(", ");
    check(messages[0]?.text.includes("Plan three days in Rome") === true, "it does not hold what was said before");
    check(kinds === "earlier, notice, card, answer", `the thread holds ${kinds}`);
    return messages;
  });

  await step("the whole transcript came along", async () => {
    const after = await session(machine);
    check(after.id === before.id, "it is another session");
    const same = before.messages.every(({ role, text }, at) => {
      const there = after.messages[at];
      return there?.role === role && there.text === text;
    });
    check(same, "a message from before the handoff is not what it was");
    check(after.messages.length === before.messages.length + 2, `${after.messages.length} messages, not two more`);
    check(after.messages.at(-1)?.text === arrived.at(-1)?.text, "the thread shows another answer than the transcript");
  });

  await step("the person goes on in the browser, and is answered there", async () => {
    await page.write(threadId, "Which day is best for the museums?");
    await page.answerAfter(machine, threadId, arrived.at(-1)?.seq ?? 0);
  });

  await step(`hermes resume "${TITLE}" brings it back, with everything that was said in between`, async () => {
    const back = machine.start("resume", TITLE);
    await back.says(/Which day is best for the museums\?/);
    back.type("And a good dinner on the last evening?");
    await machine.until(async () => (await session(machine)).messages.length === before.messages.length + 6);
    back.endInput();
    const code = await back.exited();
    check(code === 0, `hermes resume ended with ${code}: ${back.stderr}`);
  });

  await step("both sides hold the same conversation, every turn once and in order", async () => {
    const { messages, lastSurface } = await session(machine);
    const said = messages.filter(({ role, internal }) => role === "user" && !internal).map(({ text }) => text);
    const expected = [
      "Plan three days in Rome for two people.",
      "Which day is best for the museums?",
      "And a good dinner on the last evening?",
    ];
    check(JSON.stringify(said) === JSON.stringify(expected), `the transcript has ${JSON.stringify(said)}`);
    check(lastSurface === "terminal", `the session was last used at ${lastSurface}`);
    // The page is told what is said in the terminal.
    const answers = messages.filter(({ role }) => role === "assistant").slice(-3);
    await machine.until(async () => {
      const shown = (await page.messages(threadId)).messages.filter(({ author }) => author === "agent");
      return answers.every(({ text }) => shown.some((message) => message.text === text));
    }, "the last answer on the page");
  });

  console.log(`\n✓ The session went to the browser and came back. ${elapsed(startedAt)} in all.`);

  if (values.open) {
    const fresh = /http\S+/.exec((await machine.run("web", "open")).stdout)?.[0];
    console.log(`\nThe page is open: ${fresh}\nCtrl-C ends the demo and removes its folder ${machine.folder}.`);
    await new Promise<void>((resolve) => {
      process.once("SIGINT", resolve);
      process.once("SIGTERM", resolve);
    });
  }
  gateway.kill("SIGTERM");
  const code = await gateway.exited();
  check(code === 0, `the gateway ended with ${code}: ${gateway.stderr}`);
}

async function session(machine: HermesMachine): Promise<SessionDocument> {
  return machine.json<SessionDocument>("sessions", "show", TITLE);
}

async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  const from = performance.now();
  try {
    const result = await run();
    console.log(`✓ ${name}  ${elapsed(from)}`);
    return result;
  } catch (error) {
    console.log(`✗ ${name}  ${elapsed(from)}`);
    throw error;
  }
}

function check(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

function elapsed(from: number): string {
  const ms = performance.now() - from;
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
