import { readFileSync, writeFileSync } from "node:fs";
import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPlace, type Place } from "../support/places.ts";

let model: ModelServer;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

/** Two accounts of Ada, whom no config names. The operator is at the terminal, and their home is the page. */
async function twoAccounts() {
  const places = [await openPlace("telegram"), await openPlace("slack")] as const;
  const plugins = places.map(({ plugin: [name, options] }) => {
    const { homeChannel: _, operators: __, ...rest } = options as Record<string, unknown>;
    return [name, rest];
  });
  const machine = machineWith(model, { plugins: [["@hermes/plugin-web", { port: 0 }], ...plugins] });
  await machine.startGateway();
  return {
    machine,
    places,
    async [Symbol.asyncDispose]() {
      await machine[Symbol.asyncDispose]();
      for (const place of places) await place[Symbol.asyncDispose]();
    },
  };
}

async function says(machine: HermesMachine, place: Place, text: RegExp): Promise<void> {
  await machine.until(
    async () => (await place.messages()).some((one) => text.test(one.text)),
    () => `${text} on ${place.name}`,
  );
}

async function link(machine: HermesMachine, place: Place): Promise<string> {
  const { code } = await machine.json<{ code: string }>("link", "--person", "Ada");
  await place.write(code);
  await says(machine, place, /^Got it/);
  const confirmed = await machine.run("link", "--code", code, "--yes", "--json");
  expect(confirmed).toMatchObject({ code: 0 });
  return code;
}

test("a stranger becomes one person on two platforms by codes, and a stranger again", async () => {
  await using world = await twoAccounts();
  const { machine, places } = world;
  const [telegram, slack] = places;
  await telegram.write("Let me in");
  await machine.json("people", "add", "Ada");

  const code = await link(machine, telegram);
  await telegram.write("Plan a trip to Rome");
  await says(machine, telegram, /^Answer to: .*Plan a trip/s);
  await telegram.write(code);
  await says(machine, telegram, /not valid/);

  await slack.write("Am I known here?");
  await link(machine, slack);
  await slack.write("!sessions");
  await says(machine, slack, /Plan a trip to Rome/);
  const said = [...(await telegram.messages()), ...(await slack.messages())].map(({ text }) => text).join("\n");
  expect(said).not.toContain("Let me in");
  expect(said).not.toContain("Am I known here?");

  expect(await machine.run("people", "remove", "Ada", "--yes")).toMatchObject({ code: 0 });
  const before = await Promise.all(places.map((place) => place.messages()));
  for (const place of places) await place.write("Are you still there?");
  const refused = async () => JSON.stringify(await machine.json("status"));
  const counted = await refused();
  await machine.until(async () => counted !== "" && (await refused()).includes("refused"), "the count of strangers");
  expect(await Promise.all(places.map((place) => place.messages()))).toEqual(before);
});

test("a pass for anyone makes a stranger the guest of one session until it is revoked", async () => {
  await using world = await twoAccounts();
  const { machine, places } = world;
  const [telegram, slack] = places;
  const session = await begin(machine, "Plan a trip to Rome");
  const { pass } = await machine.json<{ pass: string }>("pass", session, "--anyone");
  await telegram.write(pass);
  await says(machine, telegram, /^You go on here with/);
  await slack.write(pass);
  await telegram.write("Which day for the museums?");
  await says(machine, telegram, /^Answer to: .*museums/s);
  await telegram.write("/sessions");
  await says(machine, telegram, /^You may not do that here/);

  const { passes } = await machine.json<{ passes: readonly { readonly number: number }[] }>("passes");
  expect(await machine.run("passes", "revoke", String(passes[0]?.number))).toMatchObject({ code: 0 });
  const before = await telegram.messages();
  await telegram.write("And the day after?");
  await slack.write("And me?");
  await begin(machine, "Another plan");
  expect(await telegram.messages()).toEqual(before);
  expect(await slack.messages()).toEqual([]);
});

test("an operator whom the config makes a member reads no more, nor does their guest", async () => {
  const places = [await openPlace("telegram"), await openPlace("slack")] as const;
  const [telegram, slack] = places;
  const optionsOf = ({ plugin }: Place) => plugin[1] as { readonly operators: readonly string[] };
  const own = ({ operators: _, homeChannel: __, ...options }: Record<string, unknown>) => options;
  const configWith = (rights: Record<string, unknown>) => ({
    plugins: [
      ["@hermes/plugin-web", { port: 0 }],
      [telegram.plugin[0], { ...own(telegram.plugin[1] as Record<string, unknown>), ...rights }],
      [slack.plugin[0], own(slack.plugin[1] as Record<string, unknown>)],
    ],
  });
  const { operators } = optionsOf(telegram);
  await using machine = machineWith(model, configWith({ operators }));
  const gateway = await machine.startGateway();
  await begin(machine, "Plan a trip to Rome");
  await telegram.write("/resume Plan a trip to Rome");
  await says(machine, telegram, /^Resumed/);
  await telegram.write("/pass --anyone");
  await says(machine, telegram, /gives .* once/);
  const pass = (await telegram.messages())
    .map(({ text }) => /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(text)?.[0])
    .findLast(Boolean);
  await slack.write(pass ?? "");
  await says(machine, slack, /^You go on here with/);

  gateway.kill("SIGTERM");
  await gateway.exited();
  const config = JSON.parse(readFileSync(machine.configPath, "utf8")) as Record<string, unknown>;
  writeFileSync(machine.configPath, JSON.stringify({ ...config, ...configWith({ allowedUsers: operators }) }));
  await machine.startGateway();

  const before = { telegram: (await telegram.messages()).length, slack: await slack.messages() };
  await telegram.write("/export");
  await says(machine, telegram, /^You no longer have access to this chat's session/);
  await telegram.write("Which day for the museums?");
  await says(machine, telegram, /^Answer to: .*museums/s);
  const since = (await telegram.messages()).slice(before.telegram);
  expect(since.map(({ text }) => text).join("\n")).not.toContain("Rome");
  await slack.write("And which day for the Forum?");
  const refused = async () => JSON.stringify(await machine.json("status"));
  await machine.until(async () => (await refused()).includes("refused"), "the count of strangers");
  expect(await slack.messages()).toEqual(before.slack);
  for (const place of places) await place[Symbol.asyncDispose]();
});
