import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileError, HermesError, reasonOf } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { findSession } from "../../command/find-session.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { transcriptAsMarkdown } from "../../model/transcript-as-markdown.ts";
import { transcriptDocument } from "../../overview/session-document.ts";
import { jsonText } from "../../terminal/output.ts";
import type { CliContext } from "../context.ts";
import { type ExportedFiles, exportFiles } from "./exported-files.ts";

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
  await withHost(async ({ store, files }) => {
    const session = await findSession(store, reference, EVERY_SESSION);
    const messages = await store.transcripts.read(session.id, {});
    const asJson = format === "json" || (output.json && file === undefined);
    const textWith = (paths?: ExportedFiles["paths"]) =>
      asJson
        ? `${jsonText(transcriptDocument(session, messages, paths))}\n`
        : transcriptAsMarkdown(session, messages, paths);
    if (file === undefined) {
      io.stdout.write(textWith());
      return;
    }
    const path = resolve(io.workingDirectory, file);
    const isReplaced = existsSync(path);
    const exported = await exportFiles(path, messages, files).catch(cannotBeWritten);
    await writeFile(path, textWith(exported.paths), { mode: 0o600 }).catch(cannotBeWritten);
    const { paths, missing } = exported;
    output.document({ id: session.id, file: path, messages: messages.length, files: paths.size });
    output.line(
      `${isReplaced ? "Replaced" : "Wrote"} ${path}${paths.size === 0 ? "" : ` and ${count(paths.size, "file")} beside it`}.`,
    );
    if (missing.length > 0) {
      output.note(`Not there any more: ${missing.map(({ name }) => name).join(", ")}.`);
    }

    function cannotBeWritten(error: unknown): never {
      const reason = `${path} cannot be written: ${reasonOf(error)}`;
      throw (
        fileError(error, undefined, path) ?? new HermesError("USAGE", { reason, command: "hermes sessions export" })
      );
    }
  });
}
