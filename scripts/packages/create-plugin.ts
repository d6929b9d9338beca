import { join } from "node:path";
import { type Case, expectIn } from "./using.ts";

/** From `npm create` to what would be published, as an author does it who has nothing. */
function createsPlugin(way: "polling" | "webhook" | "socket", ...flags: readonly string[]): Case {
  return {
    name: `npm create hermes-plugin, ${way}${flags.map((flag) => `, ${flag.slice(2).replace("-", " ")}`).join("")}`,
    async run(project) {
      const said = ["--name", "acme", "--receive", way, ...flags];
      const created = await project.manager(
        "npm",
        "create",
        "--yes",
        "hermes-plugin",
        "hermes-plugin-acme",
        "--",
        ...said,
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
        /Not claimed yet \(\d+ proofs\), and what to write for it:[\s\S]*Write `typing` in the adapter\./,
      );
      await npm("run", "check");
      const published = await npm("publish", "--dry-run");
      for (const part of ["dist/src/index.js", "+ hermes-plugin-acme@0.1.0"]) expectIn(published, part);
    },
  };
}

/** One that CI runs, and the other ways to receive. */
export const CREATES_POLLING = createsPlugin("polling", "--threads", "--edits");
export const CREATES_OTHERS: readonly Case[] = [
  createsPlugin("webhook", "--threads", "--edits"),
  createsPlugin("socket", "--no-threads", "--no-edits"),
];
