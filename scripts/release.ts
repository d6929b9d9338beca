/**
 * Publishes every package whose version is not there yet: `npm run release [-- --dry-run] [--tag next]`. Packs, checks
 * what was packed, and publishes just that.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readOptions } from "./options.ts";
import { problemsOf } from "./packages/check.ts";
import { type Packed, packAll } from "./packages/pack.ts";

const HELP = `npm run release -- [options]

Publishes every package whose version is not on the registry yet, after a check of what was packed.

  --dry-run    Packs, checks and says what would be published.
  --tag <tag>  The tag that npm gives it: latest unless set.
  --help       This.`;

const { values } = readOptions(HELP, (args) =>
  parseArgs({
    args: [...args],
    options: { "dry-run": { type: "boolean", default: false }, tag: { type: "string", default: "latest" } },
  }),
);

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_ACTIONS: isAction } = process.env;
const repository = server && name ? `${server}/${name}` : undefined;

const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();

const folder = mkdtempSync(join(tmpdir(), "hermes-release-"));
try {
  const packed = await packAll(folder, { repository });
  const problems = (await Promise.all(packed.map(problemsOf))).flat();
  if (repository === undefined && !values["dry-run"]) {
    problems.push("where this is published from is not known: GITHUB_SERVER_URL and GITHUB_REPOSITORY say it");
  }
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else for (const one of packed) await publish(one);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function publish({ name, version, tarball }: Packed): Promise<void> {
  if (await isPublished(name, version)) {
    console.log(`${name}@${version} is published already`);
    return;
  }
  // Only GitHub's machines can prove where something was built.
  const proof = isAction ? ["--provenance"] : ["--no-provenance"];
  const dry = values["dry-run"] ? ["--dry-run"] : [];
  const args = ["publish", tarball, "--access", "public", "--tag", values.tag, "--ignore-scripts", ...proof, ...dry];
  execFileSync("npm", args, { stdio: ["ignore", "ignore", "inherit"] });
  console.log(`${name}@${version} ${values["dry-run"] ? "would be published" : "was published"}`);
}

async function isPublished(name: string, version: string): Promise<boolean> {
  // Not kept open: it would grow stale while npm publishes.
  const headers = { connection: "close" };
  const response = await fetch(new URL(`${name.replace("/", "%2f")}/${version}`, registry), { headers });
  return response.ok;
}
