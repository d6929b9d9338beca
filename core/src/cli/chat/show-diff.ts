import { count } from "../../base/text.ts";
import type { Session } from "../../model/session.ts";
import type { TurnId } from "../../model/turn.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import { KeptFiles } from "../../tools/files/kept-files.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import type { TerminalHost } from "../context.ts";
import { diffLine } from "./diff-lines.ts";
import { gitDiff } from "./git-diff.ts";

/** The most lines that are shown. */
const MOST_LINES = 1_000;

/** Shows what differs in a session's folder: from git's last commit, else what the session's own tools changed. */
export async function showDiff(output: Output, host: TerminalHost, session: Session): Promise<string> {
  const folder = host.container.resolve(TOOL_POLICY).directoryOf(session);
  const fromGit = folder === null ? null : await gitDiff(folder, output.io.environment);
  const lines = fromGit ?? (await ownDiff(host, session));
  if (lines.length === 0) {
    return fromGit === null
      ? "No file is still changed by the tools of this session."
      : "Nothing differs from the last commit.";
  }
  const { bold } = output.colors;
  for (const line of lines.slice(0, MOST_LINES)) {
    const shown = host.redact(line);
    output.line(/^(?:diff --git|── )/.test(line) ? bold(shown) : diffLine(output.colors, shown));
  }
  const left = lines.length - MOST_LINES;
  const more =
    left > 0
      ? ` ${count(left, "more line")}: ${fromGit === null ? "look at the files themselves" : "`git diff` shows them"}.`
      : "";
  if (left > 0) output.line(styled`…`);
  return `${fromGit === null ? "What the tools of this session changed." : "All changes since the last commit, whoever made them."}${more}`;
}

async function ownDiff({ store, home }: TerminalHost, { id }: Session): Promise<string[]> {
  const rows = await store.transcripts.read(id);
  const turns = [...new Set(rows.flatMap(({ turnId }): TurnId[] => (turnId === null ? [] : [turnId])))];
  const diffs = await new KeptFiles(home).diffsOf(id, turns);
  return diffs.flatMap(({ text }) => {
    const [name = "", ...lines] = text.trimEnd().split("\n");
    return [`── ${name}`, ...lines];
  });
}
