import { lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createModelServer, type ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HermesMachine, type HermesProcess, testPlatform } from "./support/hermes-process.ts";
import { begin, type HandoffDocument } from "./support/journey.ts";
import { MODEL_KEY, machineWith } from "./support/model.ts";
import { openPage } from "./support/page.ts";

/** In the environment, in the config, and one of a form that nobody would know by its looks. */
const SECRETS = [MODEL_KEY, "plainly-a-password-42", "token-of-the-config-7781", "bearer-of-the-provider-990"];

let model: ModelServer;
let machine: HermesMachine;
let gateway: HermesProcess;
/** All that was printed. */
let printed = "";

beforeAll(async () => {
  // A server that repeats every key it could know.
  model = await createModelServer([], {
    otherwise: ({ headers }) => ({
      status: 401,
      message: `No such key: ${headers.authorization}; nor ${SECRETS.join(", ")}; nor ${encodeURIComponent(MODEL_KEY)}`,
    }),
  });
  machine = machineWith(
    model,
    {
      plugins: [["@hermes/plugin-web", { port: 0 }], testPlatform("quiet", { accessToken: SECRETS[2] })],
      providers: { mine: { baseUrl: model.url, apiKey: SECRETS[3] } },
      log: { level: "debug" },
    },
    { MY_PASSWORD: SECRETS[1] },
  );
  gateway = await machine.startGateway();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

it("a key that a server repeats in its error is shown to nobody and kept nowhere", async () => {
  await run(1, "chat", "-q", "Hello");
  await run(1, "chat", "-q", "Hello", "--json");

  const page = await openPage(machine);
  const { seq } = await page.write("home", "Hello from the page");
  const refusal = await page.messageAfter(machine, "home", seq, "notice", /HTTP 401/);
  expect(refusal.text).toContain("[redacted]");
  printed += JSON.stringify((await page.messages("home")).messages);
  expectNoSecret("what was printed", printed);
});

it("a handoff whose turn fails keeps no key in its error", async () => {
  model.push("An answer, for once");
  const id = await begin(machine, "Plan a trip");
  const handoff = JSON.parse(await run(1, "handoff", "web", "-s", id, "--json")) as HandoffDocument;
  expect(handoff).toMatchObject({ state: "failed", error: { code: "AGENT_KEY_REFUSED" } });
  expect(handoff.error?.message).toContain("[redacted]");
  await run(0, "handoffs", "show", handoff.handoffId);
  await run(0, "sessions", "show", id);
  expectNoSecret("what was printed", printed);
});

it("a key that a person types reaches no title and no name", async () => {
  for (const secret of SECRETS) await run(1, "chat", "-q", `my key ${secret} does not work`);
  await run(1, "chat", "-q", `it is a long story, and in the end there was this key: ${SECRETS[2]}`);
  const { sessions } = JSON.parse(await run(0, "sessions", "--json")) as { sessions: { id: string; title: string }[] };
  expect(sessions.map(({ title }) => title)).toContain("my key [redacted] does not work");
  const page = await openPage(machine);
  const { seq } = await page.write("home", `my key ${SECRETS[1]} does not work here either`);
  await page.messageAfter(machine, "home", seq, "notice", /HTTP 401/);
  printed += JSON.stringify((await page.messages("home")).messages);
  await run(0, "sessions", "title", sessions[0]?.id ?? "", `about ${SECRETS[1]}`);
  await run(0, "sessions");
  await run(0, "sessions", "search", "key");
  expectNoSecret("what was printed", printed);
});

it("a config that is wrong is told without its secrets", async () => {
  const wrong = {
    plugins: [["@hermes/plugin-web", { port: SECRETS[1], accessToken: SECRETS[2] }]],
    providers: { mine: { apiKey: [SECRETS[3]] } },
  };
  const path = join(machine.folder, "wrong.config.json");
  writeFileSync(path, JSON.stringify(wrong));
  await run(1, "config", "check", "--config", path);
  await run(1, "config", "check", "--json", "--config", path);
  expectNoSecret("what was printed", printed);
});

it("no file of the home holds a secret, and all are the owner's alone", async () => {
  gateway.kill("SIGTERM");
  expect(await gateway.exited()).toBe(0);
  expectNoSecret("the gateway's output", gateway.stdout + gateway.stderr);

  const files: string[] = [];
  const look = (path: string) => {
    const stat = lstatSync(path);
    expect([path, (stat.mode & 0o777).toString(8)]).toEqual([path, stat.isDirectory() ? "700" : "600"]);
    if (stat.isDirectory()) for (const name of readdirSync(path)) look(join(path, name));
    else files.push(path);
  };
  look(machine.home);
  const names = files.map((file) => file.slice(machine.home.length + 1));
  expect(names).toEqual(expect.arrayContaining(["store/hermes.db", "logs/hermes.log"]));
  expect(names.some((name) => name.endsWith("web.db"))).toBe(true);
  for (const file of files) expectNoSecret(file, readFileSync(file, "latin1"));
});

/** Runs a command that ends with `exitCode`; returns its stdout. */
async function run(exitCode: number, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.run(...args);
  printed += stdout + stderr;
  expect(code, `${stdout}${stderr}`).toBe(exitCode);
  return stdout;
}

function expectNoSecret(where: string, text: string): void {
  const found = SECRETS.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)));
  expect(found, `secrets in ${where}`).toEqual([]);
}
