import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileError, HermesError, reasonOf } from "../../base/errors.ts";
import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { transcriptAsMarkdown } from "../../model/transcript-as-markdown.ts";
import { transcriptDocument } from "../../overview/session-document.ts";
import { jsonText } from "../../terminal/output.ts";
import type { CliContext } from "../context.ts";

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
      ? `${jsonText(transcriptDocument(session, messages))}\n`
      : transcriptAsMarkdown(session, messages);
    if (file === undefined) {
      io.stdout.write(text);
      return;
    }
    const path = resolve(io.workingDirectory, file);
    await writeFile(path, text, { mode: 0o600 }).catch((error: unknown) => {
      const reason = `${path} cannot be written: ${reasonOf(error)}`;
      throw (
        fileError(error, undefined, path) ?? new HermesError("USAGE", { reason, command: "hermes sessions export" })
      );
    });
    output.document({ id: session.id, file: path, messages: messages.length });
    output.line(`Wrote ${path}.`);
  });
}
