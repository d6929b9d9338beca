import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { inScope, PUBLISHED, repositoryOf } from "../scripts/packages/identity.ts";

const run = promisify(execFile);

const root = resolve(import.meta.dirname, "..");

it("npm run release -- --dry-run packs, checks and publishes nothing", { timeout: 400_000 }, async () => {
  const asked: string[] = [];
  await using registry = createServer((request, response) => {
    asked.push(request.method ?? "");
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  const env = { ...process.env, npm_config_registry: address, npm_config_fetch_retries: "0" };
  const { stdout } = await run("npm", ["run", "--silent", "--ignore-scripts", "release", "--", "--dry-run"], {
    cwd: root,
    env,
  });
  const told = stdout.split("\n").filter((line) => line.endsWith(" would be published"));
  expect(told).toHaveLength(PUBLISHED.length);
  expect(told[0]).toMatch(/^@hermes\/core@\d+\.\d+\.\d+ /);
  expect(told.at(-1)).toMatch(/^hermes-handoff@/);
  expect(asked).not.toContain("PUT");
  registry.closeAllConnections();
});

it("another scope is named throughout what is packed, and nothing else changes", () => {
  const text = `import "@hermes/core"; "@hermes/plugin-web/cli"; "hello@hermes"; "@hermes:x"`;
  expect(inScope(text, "@other")).toBe(`import "@other/core"; "@other/plugin-web/cli"; "hello@hermes"; "@hermes:x"`);
  expect(inScope(text, "@hermes")).toBe(text);
});

it("what is packed names the folder of the repository that it comes from", () => {
  const of = (name: string, scope?: string) => repositoryOf(name, "https://github.com/you/hermes", scope);
  expect(of("@hermes/plugin-web")).toEqual({
    ...{ type: "git", url: "git+https://github.com/you/hermes.git", directory: "plugins/web" },
  });
  expect([of("hermes-handoff"), of("@other/core", "@other")].map((one) => one.directory)).toEqual([
    "packages/front",
    "core",
  ]);
});

it("no code of core names the scope where another one would not be written in", () => {
  const folder = join(root, "core/src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const found = files.filter((name) => /@hermes(?!\/[a-z])\/?["'`$]/.test(readFileSync(join(folder, name), "utf8")));
  expect(found).toEqual([]);
});
