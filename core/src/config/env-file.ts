import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { HermesError, reasonOf } from "../base/errors.ts";
import { isSecretName, REDACTED, withoutLookalikes } from "../base/redact.ts";

/** What the `.env` beside a config holds. */
export interface EnvFile {
  /** Null where there is none. */
  readonly file: string | null;
  /** Those that the environment has not: what is set there is never overridden. */
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly HermesError[];
}

const NAME = ".env";

/** The `.env` that belongs to the config of a folder. */
export function envFileIn(folder: string): string {
  return join(folder, NAME);
}

/** Whether this is one: it is data, never run, and holds secrets. */
export function isEnvFile(path: string): boolean {
  return basename(path) === NAME;
}

/**
 * Reads the `.env` in a folder, with Node's own parser. Throws ENV_FILE_INVALID, which quotes nothing of it: also what
 * is no line of the form NAME=value, which that parser would leave out in silence.
 */
export function readEnvFile(folder: string, environment: NodeJS.ProcessEnv): EnvFile {
  const file = envFileIn(folder);
  const stat = statSync(file, { throwIfNoEntry: false });
  // A folder of that name is a virtual environment of Python, mostly.
  if (stat === undefined || stat.isDirectory()) return { file: null, variables: {}, warnings: [] };
  // What comes out of a named pipe could not be held against what was trusted, and would be waited for.
  if (!stat.isFile()) throw new HermesError("ENV_FILE_INVALID", { file, reason: "it is no regular file" });
  const text = textOf(file);
  const fault = faultIn(text);
  if (fault !== null) throw new HermesError("ENV_FILE_INVALID", { file, reason: fault });
  const own = Object.entries(parseEnv(text)).filter(([name]) => environment[name] === undefined);
  const isOpen = process.geteuid !== undefined && (stat.mode & 0o077) !== 0;
  return {
    file,
    variables: Object.fromEntries(own.map(([name, value]) => [name, value ?? ""])),
    warnings: isOpen ? [new HermesError("ENV_FILE_OPEN", { file })] : [],
  };
}

/** The values among `variables` that only look like secrets; those whose names say it are found by their names. */
export function lookalikesIn(variables: Readonly<Record<string, string>>): string[] {
  return Object.values(variables).filter((value) => withoutLookalikes(value) !== value);
}

/** Lines of a `.env` as they may be shown: with no secret, and none of a value of several lines. */
export function withoutValues(line: string): string {
  const [, name, value = ""] = ENTRY_BEGINS.exec(line) ?? [];
  if (name === undefined) return /^\s*(#|$)/.test(line) ? withoutLookalikes(line) : REDACTED;
  return `${name}=${isSecretName(name) ? REDACTED : withoutLookalikes(value)}`;
}

/**
 * Runs `work` with the variables in this process's environment, and takes them out again: what Hermes starts later does
 * not inherit them.
 */
export async function withVariables<T>(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const added = Object.entries(variables).filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of added) process.env[name] = value;
  try {
    return await work();
  } finally {
    for (const [name, value] of added) if (process.env[name] === value) delete process.env[name];
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new HermesError("ENV_FILE_INVALID", { file: join(dirname(file), NAME), reason: reasonOf(error) });
  }
}

const ENTRY_BEGINS = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=(.*)$/s;

/** What is wrong, and in which line; null where nothing is. */
function faultIn(text: string): string | null {
  const lines = text.split(/\r?\n/);
  if (text.includes("\0")) return "it is no text";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (/^\s*(#|$)/.test(line)) continue;
    const value = ENTRY_BEGINS.exec(line)?.[2]?.trimStart();
    if (value === undefined) return `line ${at + 1} is not of the form NAME=value`;
    const [quote = ""] = /^["'`]/.exec(value) ?? [];
    if (quote === "" || value.includes(quote, 1)) continue;
    // A value in quotes goes on over lines.
    const end = lines.findIndex((later, index) => index > at && later.includes(quote));
    if (end < 0) return `the quotation mark in line ${at + 1} is not closed`;
    at = end;
  }
  return null;
}
