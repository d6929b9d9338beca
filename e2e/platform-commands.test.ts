import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { begin, said } from "./support/journey.ts";
import { lastRequest, machineWith, startModel } from "./support/model.ts";
import { openPage, type Page } from "./support/page.ts";

let model: ModelServer;
let machine: HermesMachine;
let page: Page;

beforeAll(async () => {
  model = await startModel();
  // More commands than a person writes in a minute.
  const limits = { messagesPerMinute: 1_000 };
  machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0, limits }]] });
  await machine.startGateway();
  page = await openPage(machine);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});
beforeEach(() => command("/new"));

it("/help lists what works there, and nothing that does not", async () => {
  const help = await command("/help");
  for (const name of [
    "new",
    "resume",
    "sessions",
    "title",
    "handoff",
    "stop",
    "retry",
    "undo",
    "status",
    "whoami",
    "sethome",
  ]) {
    expect(help).toContain(`/${name}`);
  }
  expect(help).not.toContain("/history");
  expect(help).not.toContain("/quit");
});

it("/new begins a session; the next message is its first", async () => {
  await ask("The session before");
  expect(await command("/new")).toMatch(/This is a new session.*The one before is kept/);
  await ask("The session after");
  expect(requestsTold()).not.toContain("The session before");
  expect(await sessionTitles()).toEqual(expect.arrayContaining(["The session before", "The session after"]));
});

it("/new with a message gives the message to the new session", async () => {
  await ask("An old matter");
  await page.ask(machine, "home", "/new A fresh matter", /^Answer to: A fresh matter$/);
  expect(requestsTold()).not.toContain("An old matter");
  expect(await sessionTitles()).toContain("A fresh matter");
});

it("/resume takes a session's number or title, and lists all that fit if several do", async () => {
  await begin(machine, "Garden plan for spring");
  await begin(machine, "Garden plan for autumn");
  expect(await command("/resume")).toMatch(/1\. \*\*Garden plan for autumn\*\*.*\n2\. \*\*Garden plan for spring\*\*/);

  expect(await command("/resume garden plan")).toMatch(/matches 2 sessions: .*autumn.*spring/);
  expect(await command("/resume Garden plan for spring")).toMatch(
    /Resumed \*\*Garden plan for spring\*\*.*Last request: Garden plan for spring.*Last answer: Answer to/s,
  );
  await ask("What grows first?");
  expect(requestsTold()).toContain("Garden plan for spring");

  // It is the first of the list now, since it was used last.
  expect(await command("/resume 2")).toContain("Resumed **Garden plan for autumn**");
  expect(await command("/resume 99")).toContain("There is no session 99");
  expect(await command("/resume nowhere at all")).toContain("There is no session nowhere at all");
});

it("/sessions lists them, and says which one is here", async () => {
  await ask("The one that is here");
  expect(await command("/sessions")).toMatch(/1\. \*\*The one that is here\*\* \(2 messages · .*you are here\)/);
});

it("/title shows and changes the title", async () => {
  await ask("A title to be");
  expect(await command("/title")).toBe("This session is **A title to be**.");
  expect(await command("/title Better name")).toBe("This session is now **Better name**.");
  expect(await sessionTitles()).toContain("Better name");
  expect(await command("/title")).toContain("Better name");
});

it("/status shows what runs, even in a turn; /stop ends it and keeps what was said", async () => {
  const held = gate();
  model.push({ say: "Once upon a time", hold: held });
  const { seq } = await page.write("home", "Tell me something long");
  await held.reached;
  expect(await command("/status")).toMatch(
    /Tell me something long.*model: openai\/journey.*a turn has been running on web.*web: up/s,
  );
  expect(await command("/stop")).toContain("Stopping");
  const answer = await page.messageAfter(machine, "home", seq, "answer", /\(Stopped\.\)/);
  expect(answer.text).toMatch(/^Once/);

  await ask("Something short");
  expect(await command("/status")).toContain("no turn is running");
  expect(await command("/stop")).toContain("Nothing is running");
});

it("/retry asks again, and the first answer is gone from the session", async () => {
  model.push("A poor answer");
  await page.ask(machine, "home", "Say it well", /^A poor answer$/);
  model.push("A good answer");
  const { seq } = await page.write("home", "/retry");
  await page.messageAfter(machine, "home", seq, "notice", /Asking again: “Say it well”/);
  await page.messageAfter(machine, "home", seq, "answer", /^A good answer$/);
  expect(await transcriptHere()).toEqual(["user: Say it well", "assistant: A good answer"]);
});

it("/undo takes the last exchange back, and says so when there is none", async () => {
  await ask("Keep this");
  await ask("Forget that");
  expect(await command("/undo")).toMatch(/Took back 2 messages, from “Forget that” on/);
  expect(await transcriptHere()).toEqual(["user: Keep this", "assistant: Answer to: Keep this"]);
  await command("/undo");
  expect(await command("/undo")).toContain("There is nothing to undo");
});

it("/whoami and /sethome say who one is and what the home channel is", async () => {
  expect(await command("/whoami")).toMatch(/You are the operator.*agent:main:web:dm:home/s);
  expect(await command("/sethome")).toMatch(/home channel/);
});

it("answers an unusable command with the next step, and starts no turn", async () => {
  const asked = model.requests.length;
  expect(await command("/sesions")).toContain("Did you mean /sessions?");
  expect(await command("/frobnicate")).toMatch(/There is no command \/frobnicate.*\/help/);
  expect(await command("/handoff web")).toContain("The session is there already");
  expect(await command("/away web")).toContain("works only in the terminal");
  expect(await command("/quit")).toContain("works only in the terminal");
  expect(model.requests).toHaveLength(asked);
});

function command(line: string): Promise<string> {
  return page.command(machine, "home", line);
}

function ask(text: string): Promise<string> {
  return page.ask(machine, "home", text, new RegExp(`^Answer to: ${text.replace("?", "\\?")}$`));
}

/** What the person had said in the last request to the model. */
function requestsTold(): string {
  const last = model.requests.at(-1);
  return last ? JSON.stringify(last.messages) + lastRequest(last) : "";
}

async function sessionTitles(): Promise<(string | null)[]> {
  const { sessions } = await machine.json<{ sessions: readonly { title: string | null }[] }>("sessions");
  return sessions.map(({ title }) => title);
}

async function transcriptHere(): Promise<string[]> {
  const { bindings } = await machine.store();
  const binding = await bindings.get("agent:main:web:dm:home" as Parameters<typeof bindings.get>[0]);
  if (!binding) throw new Error("the home channel is bound to no session");
  return said(machine, binding.sessionId);
}
