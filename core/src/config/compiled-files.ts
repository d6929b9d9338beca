import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../base/replace-file.ts";

/** What is compiled, and how: the compiler's own options. */
export interface ToCompile {
  readonly source: string;
  readonly filename?: string;
  readonly ts?: boolean;
  readonly async?: boolean;
}

interface Compiled {
  readonly path: string;
  readonly code: string;
  readonly isKept: boolean;
}

const NAME = /^[0-9a-f]{64}\.js$/;

/**
 * The files of a config as they were compiled, so that the next start needs no compiler. Nothing is written until it is
 * known what the config holds: a file with a secret written out in it is compiled each time.
 */
export class CompiledFiles {
  readonly #folder: string;
  readonly #used: Compiled[] = [];

  /** Creates the folder if needed, private to the user, and removes files that it did not write. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    for (const name of readdirSync(folder)) {
      if (!NAME.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
    }
  }

  /** The code of a file: what an earlier start kept, or what `compile` makes of it. */
  codeOf(file: ToCompile, compile: () => string): string {
    const { source, filename, ts, async } = file;
    const digest = createHash("sha256")
      .update(JSON.stringify([source, filename, ts, async]))
      .digest("hex");
    const path = join(this.#folder, `${digest}.js`);
    const kept = read(path);
    const code = kept ?? compile();
    this.#used.push({ path, code, isKept: kept !== null });
    return code;
  }

  /** Keeps what was used since; what holds a secret is not kept, and removed where it was. */
  keep(holdsSecret: (code: string) => boolean): void {
    for (const { path, code, isKept } of this.#used.splice(0)) {
      if (holdsSecret(code)) rmSync(path, { force: true });
      else if (!isKept) write(path, code);
    }
  }
}

function write(path: string, code: string): void {
  try {
    replaceFile(path, code);
  } catch {
    // Another process starts at this moment and does the same, or the disk is full: it is compiled once more.
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
