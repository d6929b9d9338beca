import { realpathSync } from "node:fs";
import { join } from "node:path";
import { inject, Lifecycle, scoped } from "tsyringe";
import { isSecretFile, isWithin } from "../../permissions/files.ts";
import { judgeCall } from "../../permissions/judge-call.ts";
import { NO_RULES } from "../../permissions/rule.ts";
import { checkedPathBelow } from "../../tools/files/checked-path.ts";
import { walk } from "../../tools/files/walk.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import type { TerminalHost } from "../context.ts";
import { ChatSession } from "./chat-session.ts";
import { FOLDER, HOST } from "./tokens.ts";

/** The most files of a folder that are looked through, and how long they are remembered, in milliseconds. */
const MOST_FILES = 20_000;
const REMEMBERED_MS = 10_000;
const DEPTH = 12;

/** The most paths that are offered. */
const MOST_OFFERED = 30;

/** A mention at the end of a line that was begun: `look at @src/ma`. */
const BEGUN = /^([\s\S]*(?<=^|\s)@)("?)([^"\n]*)$/;

/** The files of a session's folder that a line may name behind an `@`. */
@scoped(Lifecycle.ContainerScoped)
export class MentionCompletion {
  #known: { readonly folder: string; readonly at: number; readonly files: Promise<readonly string[]> } | null = null;

  constructor(
    @inject(HOST) readonly host: TerminalHost,
    @inject(FOLDER) readonly folder: string,
    @inject(ChatSession) readonly session: ChatSession,
  ) {}

  /** What a line may become; null where it ends in no mention. */
  async complete(line: string): Promise<readonly string[] | null> {
    const session = await this.session.find();
    const [, before, quote, part] = BEGUN.exec(line) ?? [];
    if (before === undefined || part === undefined || (quote === "" && /\s/.test(part))) return null;
    const policy = this.host.container.resolve(TOOL_POLICY);
    const directory = session === null ? this.folder : policy.directoryOf(session);
    if (directory === null) return [];
    const context =
      session === null
        ? {
            rules: NO_RULES,
            mode: "default" as const,
            directory,
            home: this.host.home,
            shared: false,
            isOperator: true,
          }
        : await policy.contextOf(session, { surface: "terminal", author: "terminal" });
    const offered: string[] = [];
    for (const path of bestMatches(await this.#filesIn(directory), part)) {
      const subjects = [join(directory, path)];
      const { decision } = await judgeCall({ tool: "read", effect: "reads", subjects }, context);
      if (decision === "allow") offered.push(`${before}${/[\s"]/.test(path) ? `"${path}"` : path} `);
      if (offered.length === MOST_OFFERED) break;
    }
    return offered;
  }

  #filesIn(folder: string): Promise<readonly string[]> {
    const now = this.host.clock.now();
    const known = this.#known;
    if (known !== null && known.folder === folder && now - known.at < REMEMBERED_MS) return known.files;
    this.#known = { folder, at: now, files: filesIn(folder, this.host.home) };
    return this.#known.files;
  }
}

/** The files below a folder that git does not ignore, without those of which nobody is to read. */
export async function filesIn(folder: string, home: string): Promise<readonly string[]> {
  const files: string[] = [];
  try {
    const root = realpathSync.native(folder);
    const place = checkedPathBelow(root, root, folder);
    if (place === null) return files;
    const isSkipped = (way: string) => isSecretFile(way, "/") || isWithin(home, join(root, way));
    for await (const { way, kind, isIgnored } of walk(place, {
      depth: DEPTH,
      signal: AbortSignal.timeout(3_000),
      isSkipped,
    })) {
      if (isIgnored) continue;
      if (kind === "file") files.push(way);
      if (files.length === MOST_FILES) break;
    }
  } catch {
    // A folder that takes too long, or is gone: what was found is offered.
  }
  return files;
}

/** The paths that have the letters of a text in its order, the best first; all of them for an empty text. */
export function bestMatches(paths: readonly string[], text: string): string[] {
  const wanted = text.toLowerCase();
  const scored = paths.flatMap((path) => {
    const score = scoreOf(path.toLowerCase(), wanted);
    return score === null ? [] : [{ path, score }];
  });
  return scored
    .toSorted((a, b) => a.score - b.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** The lower, the better; null where the letters are not all there. */
function scoreOf(path: string, wanted: string): number | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (path.startsWith(wanted)) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  let gaps = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = path.indexOf(letter, at + 1);
    if (next < 0) return null;
    gaps += next - at - 1;
    at = next;
  }
  return 4 + gaps;
}
