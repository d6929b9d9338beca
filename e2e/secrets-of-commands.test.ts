import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { machineWith, startModel } from "./support/model.ts";

/** As long as keys of providers are. */
const KEY = `provider-key-${"0123456789abcdef".repeat(6)}`;

it("a key that a command prints in broken base64 reaches no row and no model", async () => {
  await using model = await startModel();
  await using machine = machineWith(model, { permissions: { allow: ["shell(base64 *)"] } }, { MY_API_KEY: KEY });
  writeFileSync(join(machine.folder, "notes.txt"), KEY);
  model.push({ call: [{ name: "shell", input: { command: "base64 notes.txt" } }] }, "Done.");
  const { stdout } = await machine.run("chat", "-q", "look", "--json");
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  expect(sent).toContain("[redacted]");
  const first = Buffer.from(KEY).toString("base64").slice(0, 76);
  expect(sent + stdout).not.toContain(first);
  const files = readdirSync(machine.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  expect(paths.filter((path) => readFileSync(path, "latin1").includes(first))).toEqual([]);
});

it("the line of a call that runs shows no password of an address", async () => {
  await using model = await startModel();
  await using machine = machineWith(model, { permissions: { allow: ["shell(echo *)"] } });
  model.push({ call: [{ name: "shell", input: { command: "echo https://ada:passw0rd@example.com/x" } }] }, "Done.");
  const { stdout, stderr } = await machine.run("chat", "-q", "go");
  expect(stdout + stderr).toContain("shell echo https://ada:[redacted]@example.com/x");
  expect(stdout + stderr).not.toContain("passw0rd");
});
