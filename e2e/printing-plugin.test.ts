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
