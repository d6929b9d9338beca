import { join } from "node:path";
import type { Project } from "./project.ts";
import { type Case, expectIn, packageJson } from "./using.ts";

/** From `npm create` to what would be published, as an author does it who has nothing. */
function createsPlugin(way: "polling" | "webhook" | "socket", ...flags: readonly string[]): Case {
  return {
    name: `npm create hermes-plugin, ${way}${flags.map((flag) => `, ${flag.slice(2).replace("-", " ")}`).join("")}`,
    async run(project) {
      const said = ["--name", "acme", "--receive", way, ...flags];
      // What npx has run once, it runs again from its cache, whatever the registry has by now.
      const own = { npm_config_cache: join(project.home, "npm-cache") };
      const { text: created } = await project.run(
        "npm",
        ["create", "--yes", "hermes-plugin", "hermes-plugin-acme", "--", ...said],
        own,
      );
      expectIn(created, "hermes-plugin-acme is in hermes-plugin-acme. Go on with:");
      const folder = join(project.folder, "hermes-plugin-acme");
      const npm = async (...args: string[]) => {
        const { code, text } = await project.run("npm", args, {}, folder);
        if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${text}`);
        return text;
      };
      await npm("install", "--no-audit", "--no-fund");
      const tested = await npm("test");
      expectIn(tested, /Tests {2}\d+ passed \(\d+\)/);
      expectIn(
        tested,
        /Not claimed yet \(\d+ proofs\), and what to write for it[^\n]*:\n[\s\S]*Write `typing` in src\/adapter\.ts\./,
      );
      expectIn(project.read("hermes-plugin-acme/README.md"), /^\| One address, one key \| \d+ \|/m);
      await npm("run", "check");
      const published = await npm("publish", "--dry-run");
      for (const part of ["dist/src/index.js", "+ hermes-plugin-acme@0.1.0"]) expectIn(published, part);
      await npm("pack", "--pack-destination", project.folder);
      await provesInstalled(project, `./hermes-plugin-acme-0.1.0.tgz`);
    },
  };
}

/** What somebody does who has the package alone, and wants to know what it keeps. */
async function provesInstalled(project: Project, tarball: string): Promise<void> {
  project.write({ "package.json": packageJson() });
  await project.manager("npm", "install", tarball, "@hermes/core", "@hermes/testing");
  const proofs = ["keys/home", "living/text"];
  const proved = await project.manager(
    "npm",
    "exec",
    "--",
    "hermes",
    "prove",
    "hermes-plugin-acme",
    "--only",
    ...proofs,
  );
  expectIn(proved, "2 of 2 proofs passed");
  if (!project.has("node_modules/@hermes/testing/docs/adapter-kit.md")) throw new Error("the kit ships no page");
}

/** One that CI runs, and the other ways to receive. */
export const CREATES_POLLING = createsPlugin("polling", "--threads", "--edits");
export const CREATES_OTHERS: readonly Case[] = [
  createsPlugin("webhook", "--threads", "--edits"),
  createsPlugin("socket", "--no-threads", "--no-edits"),
];
