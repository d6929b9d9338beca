import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION, type Session } from "../../session/session.ts";
import type { TranscriptMessage } from "../../session/transcript.ts";
import type { CliContext } from "../context.ts";
import { transcriptDocument } from "./document.ts";

interface ExportOptions {
  readonly format: "markdown" | "json";
  readonly output?: string;
}

/** Writes a session to stdout or into a file. With `--json` and no file, stdout gets the JSON form. */
export async function exportSession(
  { io, output, withHost }: CliContext,
  reference: string,
  { format, output: file }: ExportOptions,
): Promise<undefined> {
  await withHost(async ({ store }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    const messages = await store.transcripts.read(session.id, {});
    const asJson = format === "json" || (output.json && file === undefined);
    const text = asJson
      ? `${JSON.stringify(transcriptDocument(session, messages), null, 2)}\n`
      : markdownOf(session, messages);
    if (file === undefined) {
      io.stdout.write(text);
      return;
    }
    const path = resolve(io.workingDirectory, file);
    await writeFile(path, text, { mode: 0o600 }).catch((error: unknown) => {
      throw new HermesError("USAGE", {
        reason: `${path} cannot be written: ${reasonOf(error)}`,
        command: "hermes sessions export",
      });
    });
    output.document({ id: session.id, file: path, messages: messages.length });
    output.line(`Wrote ${path}.`);
  });
}

function markdownOf(session: Session, messages: readonly TranscriptMessage[]): string {
  const parts = [`# ${session.title ?? session.id}`];
  for (const { role, text, toolCalls, internal, createdAt } of messages) {
    const speaker = internal ? "hermes" : role === "user" ? "you" : role === "assistant" ? "agent" : "tool";
    parts.push(`## ${speaker} (${new Date(createdAt).toISOString()})`);
    if (text.trim() !== "") parts.push(role === "tool" ? fenced(text) : text);
    for (const call of toolCalls ?? [])
      parts.push(`Calls \`${call.name}\`:`, fenced(JSON.stringify(call.input, null, 2)));
  }
  return `${parts.join("\n\n")}\n`;
}

/** A block whose fence is longer than any that the text holds. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
