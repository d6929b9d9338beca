import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../base/clock.ts";
import { inTime } from "./in-time.ts";
import { type Fault, type Place, placeOfFault } from "./place-of-fault.ts";

/**
 * Runs a config and reads what its module exports. JavaScript is compiled too, since Node does not tell where a fault
 * of syntax is. Packages are imported as Node does.
 */
export async function runCode<T>(file: string, home: string, read: (module: unknown) => Promise<T>): Promise<T> {
  const { createJiti } = await import("jiti");
  // Its usual cache is in the machine's temporary folder, where others could put code for us to run.
  const fsCache = join(home, "cache", "config");
  mkdirSync(fsCache, { recursive: true, mode: 0o700 });
  const jiti = createJiti(pathToFileURL(file).href, { fsCache, interopDefault: false });
  try {
    return await inTime(systemClock, jiti.import(file).then(read));
  } finally {
    closeToOthers(fsCache);
  }
}

/** Where a config that was run is at fault, in its own lines rather than in those of the code it was compiled to. */
export async function placeInCode(thrown: unknown, file: string): Promise<Fault> {
  const { createJiti } = await import("jiti");
  const jiti = createJiti(import.meta.url, { fsCache: false });
  return placeOfFault(thrown, file, ({ path, line, column }: Place) => {
    try {
      const source = readFileSync(path, "utf8");
      const compiled = jiti.transform({ source, filename: path, ts: /\.[cm]?ts$/.test(path), async: true });
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

/** Compiled configs hold whatever token is written out in them, and the compiler leaves them open to be read. */
function closeToOthers(folder: string): void {
  for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))]) {
    try {
      const { mode } = statSync(path);
      if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
    } catch {
      // Another process replaced it just now, and closes it itself.
    }
  }
}
