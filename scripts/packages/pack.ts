import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { inScope, PUBLISHED, repositoryOf } from "./identity.ts";

const run = promisify(execFile);

const root = resolve(import.meta.dirname, "../..");

/** A package as it is published. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  /** The same, unpacked. */
  readonly folder: string;
}

/** Packs everything that is published, and was built, into `destination`, and writes scope and repository into it. */
export async function packAll(destination: string, options: PackOptions = {}): Promise<readonly Packed[]> {
  mkdirSync(destination, { recursive: true });
  const folders = PUBLISHED.map((folder) => `./${folder}`);
  const packing = ["pack", "--json", "--pack-destination", destination, ...folders];
  const { stdout } = await run("npm", packing, {
    cwd: root,
    // What lays the licence beside a package is a script, also where the caller was run without scripts.
    env: { ...process.env, HERMES_IS_BUILT: "1", npm_config_ignore_scripts: "false" },
    maxBuffer: 2 ** 26,
  });
  // Behind what the builds have said. npm has told of them in a list, and in an object by their names.
  const told = JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, { readonly filename: string }>;
  const packed: Packed[] = [];
  for (const { filename } of Object.values(told)) packed.push(await identify(join(destination, filename), options));
  return packed;
}

/** The same package with another manifest, such as a later version of it, as a tarball of its own beside the first. */
export async function packedAs(
  { tarball, folder }: Packed,
  changed: { readonly version: string; readonly [key: string]: unknown },
): Promise<Packed> {
  const unpacked = tarball.replace(/\.tgz$/, `-as-${changed.version}`);
  const copy = join(unpacked, "package");
  cpSync(folder, copy, { recursive: true });
  const manifest = join(copy, "package.json");
  const json = { ...JSON.parse(readFileSync(manifest, "utf8")), ...changed };
  writeFileSync(manifest, `${JSON.stringify(json, null, 2)}\n`);
  await run("tar", ["-czf", `${unpacked}.tgz`, "-C", unpacked, "package"]);
  return { name: json.name, version: changed.version, tarball: `${unpacked}.tgz`, folder: copy };
}

export interface PackOptions {
  readonly scope?: string;
  /** `https://host/owner/name`, as npm's proof of origin wants it; left out where it is not known. */
  readonly repository?: string | undefined;
}

/** Writes scope and repository into a tarball. */
async function identify(tarball: string, { scope, repository }: PackOptions): Promise<Packed> {
  const unpacked = tarball.replace(/\.tgz$/, "");
  const folder = join(unpacked, "package");
  mkdirSync(unpacked, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", unpacked]);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (![".js", ".ts", ".json", ".md"].includes(extname(file))) continue;
    const text = readFileSync(join(folder, file), "utf8");
    const named = inScope(text, scope);
    if (named !== text) writeFileSync(join(folder, file), named);
  }
  const manifest = join(folder, "package.json");
  const json = JSON.parse(readFileSync(manifest, "utf8"));
  // What is published is never packed from sources again.
  delete json.scripts;
  delete json.devDependencies;
  if (repository !== undefined) json.repository = repositoryOf(json.name, repository, scope);
  writeFileSync(manifest, `${JSON.stringify(json, null, 2)}\n`);
  await run("tar", ["-czf", tarball, "-C", unpacked, "package"]);
  return { name: json.name, version: json.version, tarball, folder };
}
