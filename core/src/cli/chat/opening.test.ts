import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BIN = resolve(import.meta.dirname, "../../../bin/hermes.js");

/** Writes each module that is loaded to the file that `LOADED` names. */
const NOTE_LOADED = `
import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + "\\n");
    return next(url, context);
  },
});
`;

/** What only a turn, a fault or a network needs. */
const NEEDED_LATER =
  /\/node_modules\/(?:cosmiconfig|diff)\/|\/(?:ai-sdk-agent|plugin-project)-part|^node:(?:http|tls)$/;

test("opening a session loads nothing that is only needed later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-opening-"));
  try {
    const [config, hook, loaded] = ["hermes.config.json", "note.mjs", "loaded"].map((name) => join(folder, name));
    writeFileSync(config ?? "", "{}");
    writeFileSync(hook ?? "", NOTE_LOADED);
    const args = ["--import", pathToFileURL(hook ?? "").href, BIN, "--config", config ?? "", "resume", "nobody"];
    const env = { ...process.env, HERMES_HOME: join(folder, "home"), HOME: folder, LOADED: loaded };
    await expect(promisify(execFile)(process.execPath, args, { cwd: folder, env })).rejects.toThrow("nobody");
    const modules = readFileSync(loaded ?? "", "utf8").split("\n");
    expect(modules.filter((url) => /\/bundle\/(?:resume|sqlite)-part\.js$/.test(url))).toHaveLength(2);
    expect(modules.filter((url) => NEEDED_LATER.test(url))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
