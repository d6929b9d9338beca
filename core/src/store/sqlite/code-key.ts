import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";

const LENGTH = 32;

/**
 * Reads the key in a file, which only its owner may read; makes it, once, where there is none. Throws
 * STORE_KEY_UNREADABLE.
 */
export function keyIn(file: string): Buffer {
  try {
    return read(file) ?? make(file);
  } catch (error) {
    throw new HermesError("STORE_KEY_UNREADABLE", { file, reason: reasonOf(error) }, { cause: error });
  }
}

/** Null where there is no file. */
function read(file: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== LENGTH) throw new Error("it holds no key");
  return key;
}

/** Of two processes that make it at the same time, one wins, and both use that one's. */
function make(file: string): Buffer {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${randomBytes(LENGTH).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = read(file);
  if (key === null) throw new Error("it was removed just now");
  return key;
}
