/**
 * Installs the packages as they are packed in projects outside of the workspace, and uses them there:
 * `npm run packages [-- --part 1/8] [--only pnpm]`.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parsePart, readOptions } from "../options.ts";
import { CASES } from "./cases.ts";
import { problemsOf } from "./check.ts";
import { packAll } from "./pack.ts";
import { Project } from "./project.ts";
import { startRegistry } from "./registry.ts";
import { otherVersions } from "./two-cores.ts";

const HELP = `npm run packages -- [options]

Installs the packages as they are packed in projects outside of the workspace, and uses them there. Ends with 1 when a
case failed.

  --only <text>   The cases whose name has this in it.
  --part <n>/<m>  The n-th of m parts of all cases.
  --with <text>   Besides them, the cases whose name has this in it.
  --help          This.

The cases:
${CASES.map(({ name }) => `  ${name}`).join("\n")}`;

const cases = readOptions(HELP, (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      part: { type: "string", default: "1/1" },
      only: { type: "string", default: "" },
      with: { type: "string" },
    },
  });
  const part = parsePart(values.part);
  const size = Math.ceil(CASES.length / part.of);
  const inPart = CASES.slice((part.number - 1) * size, part.number * size);
  const besides = CASES.filter(({ name }) => values.with !== undefined && name.includes(values.with));
  if (values.with !== undefined && besides.length === 0) throw new Error(`No case has ${values.with} in its name.`);
  const wanted = new Set([...inPart.filter(({ name }) => name.includes(values.only)), ...besides]);
  const chosen = CASES.filter((one) => wanted.has(one));
  if (chosen.length === 0) throw new Error("No case is in that part and has that in its name.");
  return chosen;
});

const settingOf = (name: string) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();

const folder = mkdtempSync(join(tmpdir(), "hermes-packages-"));
let failed = 0;
try {
  const packed = await packAll(join(folder, "packed"));
  const problems = (await Promise.all(packed.map(problemsOf))).flat();
  for (const problem of problems) console.error(problem);
  failed += problems.length > 0 ? 1 : 0;
  const others = await otherVersions(packed);
  await using registry = await startRegistry([...packed, ...others], settingOf("registry"));
  for (const { name, run } of cases) {
    const start = Date.now();
    using project = new Project(mkdtempSync(join(folder, "case-")), registry.url, settingOf("cache"));
    const error = await run(project).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const seconds = Math.round((Date.now() - start) / 1_000);
    console.log(`${error === null ? "ok" : "FAILED"}  ${name} (${seconds} s)`);
    if (error === null) continue;
    failed += 1;
    console.error(error instanceof Error ? error.message : error);
  }
  console.log(`${cases.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
