import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Packed } from "./pack.ts";

/** What is wrong with a package as it is packed, each in a sentence. */
export async function problemsOf(packed: Packed): Promise<readonly string[]> {
  const problems = [...missingFiles(packed), ...danglingMaps(packed), ...(await faultsOfManifest(packed))];
  return [...problems, ...(await faultsOfTypes(packed))].map((problem) => `${packed.name}: ${problem}`);
}

function missingFiles({ folder }: Packed): string[] {
  const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const named = [...targetsIn(json.exports), ...targetsIn(json.bin), ...targetsIn(json.imports)];
  const needed = ["LICENSE", "README.md", ...named.filter((path) => !path.includes("*"))];
  return needed.filter((path) => !existsSync(join(folder, path))).map((path) => `${path} is not packed`);
}

function targetsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(targetsIn) : [];
}

function danglingMaps({ folder }: Packed): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((file) => {
    if (file.endsWith(".map")) return [`${file} is a map of sources that are not packed`];
    const isCode = /\.(js|d\.ts)$/.test(file) && !file.includes("client");
    const text = isCode ? readFileSync(join(folder, file), "utf8") : "";
    return /^\/\/# sourceMappingURL=/m.test(text) ? [`${file} names a map that is not packed`] : [];
  });
}

async function faultsOfManifest({ folder }: Packed): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  // Where it is published from is written in by the one who publishes.
  const own = messages.filter(({ type, code }) => type !== "suggestion" && !/REPOSITORY/.test(code));
  return own.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code);
}

/** Packages of modules only: how older resolutions and a `require` see their types is none of their business. */
async function faultsOfTypes({ tarball, folder }: Packed): Promise<string[]> {
  // A command has no types.
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!existsSync(join(folder, "dist")) || exports === undefined) return [];
  const options = { excludeEntrypoints: ["./bin/hermes.js"] };
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), options);
  if (!result.types) return ["it has no types"];
  const found = result.problems.filter(
    (problem) => !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(problem.resolutionKind)),
  );
  return found.map((problem) => `its types at ${"entrypoint" in problem ? problem.entrypoint : "."}: ${problem.kind}`);
}
