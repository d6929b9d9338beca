import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { ToolContext } from "../../agent/agent.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { outputFileOf } from "../outputs.ts";
import { type CheckedPath, checkedPath } from "./checked-path.ts";
import { type DiffOf, diffOf } from "./diff-text.ts";
import { fileText } from "./file-text.ts";
import { KEPT_ENDING, type KeptFile } from "./kept-file.ts";
import type { KnownFiles } from "./known-files.ts";
import { digestOfBytes } from "./read-lines.ts";
import { type FoundFile, foundFile, replaceContent } from "./replace-content.ts";

/** What a call would make of a file. */
export interface FileChange {
  readonly place: CheckedPath;
  readonly found: FoundFile | null;
  readonly bytes: Buffer;
  readonly diff: DiffOf;
}

/** Changes files for the tools `write` and `edit`. */
export class FileChanges {
  readonly #home: string;
  readonly #known: KnownFiles;

  constructor(home: string, known: KnownFiles) {
    this.#home = home;
    this.#known = known;
  }

  /**
   * Finds out what `change` would make of the file's text, which is null where there is no file. Throws where the file is
   * not text, or not what the session has read; `mustBeRead`: where the session has not read it, too.
   */
  plan(
    path: string,
    where: ToolContext,
    change: (text: string | null) => string,
    { mustBeRead }: { readonly mustBeRead: boolean },
  ): FileChange {
    const place = checkedPath(path, where);
    const found = foundFile(place);
    if (found !== null) this.#checkKnown(place, found, where, mustBeRead);
    const old = found === null ? null : fileText(found.bytes);
    if (found !== null && old === null) throw new Error(`${path} is no text in UTF-8. It is not changed.`);
    const text = change(old?.text ?? null);
    const bytes = old?.encoded(text) ?? Buffer.from(text);
    return { place, found, bytes, diff: diffOf(path, old?.text ?? "", text) };
  }

  /** Keeps the old bytes, then writes. */
  carryOut({ place, found, bytes }: FileChange, where: ToolContext): void {
    const after = digestOfBytes(bytes);
    const before = found?.bytes.toString("base64") ?? null;
    const mode = found === null ? null : Number(found.stats.mode) & 0o7777;
    const kept: KeptFile = { path: place.real, before, mode, after };
    const file = `${outputFileOf(this.#home, where)}${KEPT_ENDING}`;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, JSON.stringify(kept));
    replaceContent(place, bytes, found);
    this.#known.note(where.session.id, place.real, after);
  }

  #checkKnown({ real, shown }: CheckedPath, { bytes }: FoundFile, { session }: ToolContext, mustBeRead: boolean): void {
    const known = this.#known.digestOf(session.id, real);
    if (known === undefined && mustBeRead)
      throw new Error(`${shown} is there already. Read it before it is written over.`);
    if (known !== undefined && known !== digestOfBytes(bytes)) {
      throw new Error(`${shown} was changed since it was read. Nothing was written: read it again.`);
    }
  }
}
