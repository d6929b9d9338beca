import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from "@microsoft/api-extractor";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What others may import, and where its types are built. */
const ENTRIES = {
  core: ["core", "index"],
  "core-markdown": ["core", "markdown/index"],
  "core-embed": ["core", "embed"],
  testing: ["packages/testing", "index"],
  emulator: ["packages/emulator", "index"],
} as const;

const QUIET = { default: { logLevel: ExtractorLogLevel.None } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-api-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(Object.entries(ENTRIES))("the public API of %s is the one in docs/api", (name, [workspace, entry]) => {
  const report = join(root, "docs", "api", `${name}.api.md`);
  const found = reportOf(name, join(root, workspace), entry);
  if (process.env.UPDATE_DOCS) writeFileSync(report, found);
  expect(found, "UPDATE_DOCS=1 writes it anew").toBe(readFileSync(report, "utf8"));
});

function reportOf(name: string, workspace: string, entry: string): string {
  const extractorConfig = ExtractorConfig.prepare({
    configObject: {
      mainEntryPointFilePath: join(workspace, "dist", `${entry}.d.ts`),
      projectFolder: workspace,
      compiler: { tsconfigFilePath: join(workspace, "tsconfig.json") },
      apiReport: {
        ...{ enabled: true, reportFileName: `${name}.api.md` },
        ...{ reportFolder: join(folder, "reports"), reportTempFolder: join(folder, "made") },
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: "lf",
      messages: {
        compilerMessageReporting: QUIET,
        extractorMessageReporting: QUIET,
        tsdocMessageReporting: QUIET,
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(workspace, "package.json"),
  });
  // That the report has changed is this test's to say.
  const messageCallback = (message: ExtractorMessage) => {
    message.handled = true;
  };
  Extractor.invoke(extractorConfig, { localBuild: false, messageCallback });
  return readFileSync(join(folder, "made", `${name}.api.md`), "utf8");
}
