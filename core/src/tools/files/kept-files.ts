import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "../../model/session.ts";
import type { ToolCall } from "../../model/transcript.ts";
import type { TurnId } from "../../model/turn.ts";
import type { WrittenFile, WrittenFiles } from "../../model/written-file.ts";
import { outputsOf } from "../outputs.ts";
import { type CheckedPath, checkedPathBelow } from "./checked-path.ts";
import type { DiffOf } from "./diff-text.ts";
import { fileText } from "./file-text.ts";
import { KEPT_ENDING, type KeptFile } from "./kept-file.ts";
import { digestOfBytes } from "./read-lines.ts";
import { type FoundFile, foundFile, removeContent, replaceContent } from "./replace-content.ts";

/** All changes of some turns to one file. */
interface Change {
  readonly path: string;
  /** Before the first of them; null where there was no file. */
  readonly before: Buffer | null;
  /** The digest of what the last one wrote; null where somebody else wrote in between. */
  readonly after: string | null;
}

/** Puts files back from the bytes that were kept before tools wrote to them. */
export class KeptFiles implements WrittenFiles {
  readonly #home: string;

  /** `home` is Hermes' home. */
  constructor(home: string) {
    this.#home = home;
  }

  of(sessionId: SessionId, turns: readonly TurnId[]): readonly WrittenFile[] {
    return this.#changes(sessionId, turns).map((change) => {
      const { path, before } = change;
      return { path, isNew: before === null, state: stateOf(change, lookAt(path)?.found) };
    });
  }

  putBack(sessionId: SessionId, turns: readonly TurnId[], path: string): void {
    const change = this.#changes(sessionId, turns).find((one) => one.path === path);
    const there = lookAt(path);
    if (change === undefined || there === null || stateOf(change, there.found) !== "as written") {
      throw new Error(`${path} was changed since. It stays as it is.`);
    }
    if (change.before !== null) replaceContent(there.place, change.before, there.found);
    else if (there.found !== null) removeContent(there.place, there.found);
  }

  /** What one call changed in a file, as a difference in plain text; null where it is not known, or changed again since. */
  async diffOf(sessionId: SessionId, turn: TurnId, call: ToolCall["id"]): Promise<string | null> {
    const file = join(
      outputsOf(this.#home, sessionId),
      encodeURIComponent(turn),
      `${encodeURIComponent(call)}${KEPT_ENDING}`,
    );
    const kept = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as KeptFile) : null;
    const found = kept === null ? null : lookAt(kept.path)?.found;
    if (kept === null || found == null || digestOfBytes(found.bytes) !== kept.after) return null;
    const [before, after] = [Buffer.from(kept.before ?? "", "base64"), found.bytes].map(
      (bytes) => fileText(bytes)?.text,
    );
    if (before === undefined || after === undefined) return null;
    const { diffOf } = await import("./diff-text.ts");
    return diffOf(kept.path, before, after).text;
  }

  /** What the files that tools of those turns wrote to differ in from before; those that are as before are left out. */
  async diffsOf(sessionId: SessionId, turns: readonly TurnId[]): Promise<readonly DiffOf[]> {
    const { diffOf } = await import("./diff-text.ts");
    return this.#changes(sessionId, turns).flatMap(({ path, before }) => {
      const now = lookAt(path)?.found?.bytes ?? null;
      if (digestOrNull(before) === digestOrNull(now)) return [];
      const [old, text] = [before, now].map((bytes) => fileText(bytes ?? Buffer.alloc(0))?.text);
      return old === undefined || text === undefined ? [] : [diffOf(path, old, text)];
    });
  }

  #changes(sessionId: SessionId, turns: readonly TurnId[]): readonly Change[] {
    const changes = new Map<string, Change>();
    for (const { path, before: kept, after } of turns.flatMap((turn) => this.#keptOf(sessionId, turn))) {
      const before = kept === null ? null : Buffer.from(kept, "base64");
      const earlier = changes.get(path);
      if (earlier === undefined) changes.set(path, { path, before, after });
      else changes.set(path, { ...earlier, after: earlier.after === digestOrNull(before) ? after : null });
    }
    return [...changes.values()];
  }

  /** What the calls of a turn kept, in the order in which they ran. */
  #keptOf(sessionId: SessionId, turn: TurnId): KeptFile[] {
    const folder = join(outputsOf(this.#home, sessionId), encodeURIComponent(turn));
    return namesIn(folder)
      .filter((name) => name.endsWith(KEPT_ENDING))
      .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as KeptFile);
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // No call of the turn kept anything.
    return [];
  }
}

/** What is at a path now; null where a link leads elsewhere, or no ordinary file is there. */
function lookAt(path: string): { readonly place: CheckedPath; readonly found: FoundFile | null } | null {
  try {
    const place = checkedPathBelow("/", path, path);
    return place === null || place.real !== path ? null : { place, found: foundFile(place) };
  } catch {
    return null;
  }
}

function stateOf({ before, after }: Change, found: FoundFile | null | undefined): WrittenFile["state"] {
  if (found === undefined) return "changed since";
  const now = digestOrNull(found?.bytes ?? null);
  if (now === digestOrNull(before)) return "as before";
  return now !== null && now === after ? "as written" : "changed since";
}

function digestOrNull(bytes: Buffer | null): string | null {
  return bytes === null ? null : digestOfBytes(bytes);
}
