import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PUBLISHED } from "../../scripts/packages/identity.ts";

const run = promisify(execFile);

const root = resolve(import.meta.dirname, "../..");

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
