import { statSync } from "node:fs";
import type { Tool } from "../../agent/agent.ts";
import { reasonOf } from "../../base/errors.ts";
import type { FileRef } from "../../base/file-ref.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { pathsInLine } from "../../files/paths-in-line.ts";
import type { Host } from "../../host/host.ts";
import { fenced } from "../../markdown/fence.ts";
import { mark, withoutMarks } from "../../model/mark.ts";
import type { Session } from "../../model/session.ts";
import { judgeCall } from "../../permissions/judge-call.ts";
import { checkedPath } from "../../tools/files/checked-path.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import { cutMention } from "./cut-mention.ts";
import { BEHIND_PATH, missingMention } from "./missing-mention.ts";
import { readNamedFiles, realPath } from "./named-files.ts";

/** The most files that a message brings along, and the most of their text, in UTF-16 units. */
const MOST_FILES = 20;
const MOST_TEXT = 100_000;

/** As many names are told of that name no file. */
const MOST_MISSING = 5;

const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"@]+))/g;

/** What a message brings along of the files that it names. */
export interface Mentioned {
  /** What is put behind the message, for the model. */
  readonly text: string;
  /** What is said to the person. */
  readonly notes: readonly string[];
  /** The pictures and PDFs among them, which a model sees as they are. */
  readonly files: readonly FileRef[];
}

/** The paths that stand behind an `@` in a message. */
export function mentionsIn(text: string): string[] {
  return [...new Set([...text.matchAll(MENTION)].map(([, quoted, bare]) => quoted ?? bare ?? ""))];
}

/**
 * Reads the files of the session's folder that a message names, by the tool `read` and its rules; of a folder, what is
 * in it. What names no file there is left as it is, with a note where it looks like a path. Pictures and PDFs may lie
 * anywhere: {@link readNamedFiles}.
 */
export async function readMentioned(host: Host, session: Session, text: string): Promise<Mentioned> {
  const policy = host.container.resolve(TOOL_POLICY);
  const directory = policy.directoryOf(session);
  const named = await readNamedFiles(host, session, text);
  const wanted = mentionsIn(text);
  if (wanted.length === 0 || directory === null) return named;
  const tools = await policy.toolsOf(session);
  const context = await policy.contextOf(session, { surface: "terminal", author: "terminal" });
  const where = { session, directory, signal: AbortSignal.timeout(30_000) };
  const parts: string[] = [];
  const notes = [...named.notes];
  let missing = 0;
  for (const mention of wanted) {
    const found = foundAt(mention, where);
    if (found === null) {
      // In pasted text much may look like one.
      const isOther = missing === MOST_MISSING || isAmong(named.paths, mention, directory);
      const note = isOther ? null : await missingMention(mention, directory, host.home);
      if (note !== null) notes.push(note);
      missing += note === null ? 0 : 1;
      continue;
    }
    const tool = tools.find(({ name }) => name === (found.isFolder ? "list" : "read"));
    if (tool === undefined || named.paths.has(found.real)) continue;
    const taken = parts.reduce((sum, part) => sum + part.length, 0);
    if (parts.length >= MOST_FILES || taken >= MOST_TEXT) {
      notes.push(`@${found.path} is only named: the message has too many attachments already.`);
      continue;
    }
    const verdict = await judgeCall({ tool: tool.name, effect: "reads", subjects: [found.real] }, context);
    if (verdict.decision === "allow") {
      const { text: part, note } = await attached(tool, found.path, where);
      parts.push(part);
      if (note !== null) notes.push(note);
    } else notes.push(`@${found.path} is only named: ${verdict.why}.`);
  }
  return { text: named.text + parts.map((part) => `\n${part}`).join(""), notes, files: named.files };
}

/** Whether a mention is a picture or PDF that was dealt with, wherever it lies. */
function isAmong(dealtWith: ReadonlySet<string>, mention: string, directory: string): boolean {
  return pathsInLine(`@"${mention}"`, directory).some(({ path }) => dealtWith.has(realPath(path) ?? path));
}

type Where = Parameters<Tool["run"]>[1];

/** What a mention names below the folder; a sign behind it may belong to the sentence. */
function foundAt(mention: string, where: Where) {
  for (const path of new Set([mention, mention.replace(BEHIND_PATH, "")])) {
    try {
      const { real } = checkedPath(path, where);
      const stats = path === "" ? undefined : statSync(real, { throwIfNoEntry: false });
      if (stats?.isFile() || stats?.isDirectory()) return { path, real, isFolder: stats.isDirectory() };
    } catch {
      // It leads out of the folder, or into one that may not be opened.
    }
  }
  return null;
}

async function attached(tool: Tool, path: string, where: Where): Promise<{ text: string; note: string | null }> {
  const label = (what: string) => mark(`attached: ${JSON.stringify(path)}${what}`);
  try {
    const read = await tool.run(tool.name === "list" ? { path, depth: 1 } : { path, first: 1, lines: 2000 }, where);
    const block = fenced(withoutMarks(withNumbers(read.text)));
    return { text: `${label(tool.name === "list" ? ", a folder" : "")}\n${block}`, note: cutMention(path, read.text) };
  } catch (error) {
    const why = reasonOf(error);
    return { text: label(`, which could not be read: ${why}`), note: `@${path} could not be read: ${why}.` };
  }
}
