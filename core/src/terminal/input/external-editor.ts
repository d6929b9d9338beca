import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pastedText } from "./pasted-text.ts";

/** The person's editor, found as other programs find it; null if none is set. */
export function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string | null {
  return [VISUAL, EDITOR].find((one) => one !== undefined && one.trim() !== "") ?? null;
}

/**
 * Opens a text in the person's editor, in a private file that is deleted afterwards. Returns what was saved;
 * null when the editor could not be started, or ended with a failure.
 */
export async function writeInEditor(
  editor: string,
  text: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-message-"));
  const file = join(folder, "message.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // A shell reads it: it may hold options, as in `code --wait`.
    const [command, words] = process.platform === "win32" ? [`${editor} "${file}"`, []] : [`${editor} "$1"`, [file]];
    const code = await new Promise<number | null>((resolve) => {
      const child =
        process.platform === "win32"
          ? spawn(command, { shell: true, stdio: "inherit", env: environment })
          : spawn("/bin/sh", ["-c", command, "sh", ...words], { stdio: "inherit", env: environment });
      child.once("error", () => resolve(null));
      child.once("exit", resolve);
    });
    return code === 0 ? pastedText(readFileSync(file, "utf8")).trimEnd() : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
