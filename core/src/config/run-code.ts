import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isModuleNamespaceObject } from "node:util/types";
import { systemClock } from "../base/clock.ts";
import { createRedactor, secretsIn } from "../base/redact.ts";
import { isPluginDescriptor } from "../plugin/descriptor.ts";
import { unreadablePackage } from "../plugin/package-json.ts";
import { CompiledFiles } from "./compiled-files.ts";
import { lookalikesIn, withVariables } from "./env-file.ts";
import { contentsFrom } from "./folder-contents.ts";
import { inTime } from "./in-time.ts";
import { packagesBeside } from "./packages-beside.ts";
import { type Fault, placeOfFault, type SourcePosition } from "./place-of-fault.ts";

export interface CodeToRun {
  readonly file: string;
  /** Hermes' home. */
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
  /** What the `.env` beside it holds. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Runs a config and reads what its module exports. JavaScript is compiled too: Node does not tell where a fault of
 * syntax is, and would keep what it compiled, whatever secret is in it. Packages are imported as Node does.
 */
export async function runCode<T>(
  { file, home, environment, variables }: CodeToRun,
  read: (module: unknown) => Promise<T>,
): Promise<T> {
  const own = [...contentsFrom([file])].flatMap(([path, text]) => (text !== null && existsSync(path) ? [path] : []));
  const folders = new Set([file, ...own].flatMap((path) => [dirname(realpathSync(path)), dirname(path)]));
  const unreadable = [...folders].map(unreadablePackage).find((path) => path !== null);
  // Without a stack: no line of the config is at fault.
  if (unreadable !== undefined) throw Object.assign(new Error(`${unreadable} is no ordinary file`), { stack: "" });
  const { createJiti } = await import("jiti");
  const url = pathToFileURL(file).href;
  // Not in the compiler's own cache: it writes before anybody knows what the config holds, and into a folder where others
  // could put code for us to run.
  const options = { fsCache: false, interopDefault: false, alias: packagesBeside(file) };
  const compiler = createJiti(url, options);
  const compiled = new CompiledFiles(join(home, "cache", "config"));
  const jiti = createJiti(url, {
    ...options,
    transform: (source) => ({ code: compiled.codeOf(source, () => compiler.transform(source)) }),
  });
  using _ = withoutNode(own);
  // As Node does, what a link to JavaScript leads to imports what lies beside that.
  const entry = isTypeScript(file) ? file : realpathSync(file);
  const exported = await withVariables(variables, () =>
    inTime(
      systemClock,
      jiti.import(entry).then((exported) => read(asModule(exported, file))),
    ),
  );
  const redact = createRedactor([...secretsIn([environment, variables]), ...lookalikesIn(variables)]);
  const written = secretsOfConfig(exported);
  compiled.keep((code) => redact(code) !== code || written.some((secret) => code.includes(secret)));
  return exported;
}

/** As Node hands on what CommonJS exports: as the default. */
function asModule(exported: unknown, file: string): unknown {
  if (isTypeScript(file)) return exported;
  return Object(exported).__esModule === true || isModuleNamespaceObject(exported) ? exported : { default: exported };
}

function isTypeScript(file: string): boolean {
  return /\.[cm]?ts$/.test(file);
}

/** Keeps Node from loading a config, and what it imports of its own: `files`. The compiler does, where Node refuses. */
function withoutNode(files: readonly string[]): Disposable {
  // Node 22.13 has none yet; there it keeps nothing that it compiled (see useCodeCache).
  const { registerHooks } = process.getBuiltinModule("node:module");
  if (typeof registerHooks !== "function") return { [Symbol.dispose]() {} };
  // JSON is not compiled, and only Node reads it.
  const code = files.filter((path) => !path.endsWith(".json"));
  const own = new Set(code.map((path) => pathToFileURL(realpathSync(path)).href));
  // Refused when it is loaded: the compiler asks Node where a file is, too.
  const hooks = registerHooks({
    load(loaded, context, next) {
      if (own.has(loaded)) throw new Error(`${loaded} is compiled by Hermes`);
      return next(loaded, context);
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

/** What the names of a config say are secrets, of any length: a short one is no less to be kept out of a file. */
function secretsOfConfig(config: unknown): string[] {
  const { plugins, ...others }: { readonly plugins?: unknown } = Object(config);
  // A plugin's schema has the names of secrets too, and no secret.
  const options = Array.isArray(plugins) ? plugins.map((one) => (isPluginDescriptor(one) ? one.options : one)) : [];
  return secretsIn([others, options]).filter(Boolean);
}

/** Where a config that was run is at fault, in its own lines rather than in those of the code it was compiled to. */
export async function placeInCode(thrown: unknown, file: string): Promise<Fault> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url, { fsCache: false });
  return placeOfFault(thrown, file, ({ path, line, column }: SourcePosition) => {
    try {
      const source = readFileSync(path, "utf8");
      const compiled = jiti.transform({ source, filename: path, ts: isTypeScript(path), async: true });
      return columnAsWritten(lineOf(source, line), lineOf(compiled, line), column);
    } catch {
      return null;
    }
  });
}

/**
 * Compiled code keeps its lines, but not its columns: types are taken out, imports reworded, and the first line begins
 * with something else. A column is known where only the indentation differs before it.
 */
function columnAsWritten(written: string, compiled: string, column: number): number | null {
  const before = compiled.slice(0, column - 1);
  const code = before.trimStart();
  const indentation = written.length - written.trimStart().length;
  if (before.length < column - 1 || !written.startsWith(code, indentation)) return null;
  return indentation + code.length + 1;
}

function lineOf(text: string, line: number): string {
  return text.split(/\r?\n/)[line - 1] ?? "";
}
