import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HermesMachine, testPlatform } from "./support/hermes-process.ts";

const TOKEN = "token-of-the-config-7781";

it("what a plugin's library prints stands in the log without the plugin's token", async () => {
  await using machine = new HermesMachine({
    plugins: [["@hermes/plugin-web", { port: 0 }], testPlatform("printing", { accessToken: TOKEN })],
  });
  const { stdout, stderr } = await machine.run("gateway", "--detach");
  const read = (name: string) => readFileSync(join(machine.home, "logs", name), "utf8");
  const [out, log] = [read("gateway.out"), read("hermes.log")];
  await machine.run("gateway", "stop");
  expect(out + log + stdout + stderr).not.toContain(TOKEN);
  expect(log).toContain("library: the token [redacted] is deprecated");
});

it("what a plugin prints while it is imported stands in the log, redacted as well", async () => {
  const plugins = [["@hermes/plugin-web", { port: 0 }], testPlatform("printing-early", { accessToken: TOKEN })];
  await using machine = new HermesMachine({ plugins }, { PRINTING_TOKEN: "token-of-the-environment-7782" });
  await machine.run("gateway", "--detach");
  const read = (name: string) => readFileSync(join(machine.home, "logs", name), "utf8");
  const [out, log] = [read("gateway.out"), read("hermes.log")];
  await machine.run("gateway", "stop");
  expect(out).not.toMatch(/library|token-of/);
  expect(log).not.toContain("token-of");
  for (const said of ["imported", "configured", "later"]) expect(log).toContain(`library: ${said} with [redacted]`);
});
