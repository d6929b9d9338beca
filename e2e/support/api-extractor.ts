import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from "@microsoft/api-extractor";

const root = resolve(import.meta.dirname, "../..");

/** What others may import, and where its types are built. */
export const ENTRIES = {
  core: ["core", "index"],
  "core-markdown": ["core", "markdown/index"],
  "core-embed": ["core", "embed"],
  testing: ["packages/testing", "index"],
  emulator: ["packages/emulator", "index"],
} as const;

export type Entry = keyof typeof ENTRIES;

/** A declaration of API Extractor's model, as far as it is read here. */
export interface ApiItem {
  readonly kind: string;
  readonly name: string;
  /** With its stars. */
  readonly docComment?: string;
  readonly excerptTokens?: readonly { readonly text: string }[];
  /** `dist/adapter/message.d.ts` */
  readonly fileUrlPath?: string;
  readonly members?: readonly ApiItem[];
}

export interface ExtractedApi {
  /** The signatures, for whoever reviews a change of them. */
  readonly report: string;
  /** The same with the doc comments. */
  readonly items: readonly ApiItem[];
}

const QUIET = { default: { logLevel: ExtractorLogLevel.None } };

/** Reads the built types of an entry. `folder` is for what API Extractor writes. */
export function extractApi(name: Entry, folder: string): ExtractedApi {
  const [workspaceName, entry] = ENTRIES[name];
  const workspace = join(root, workspaceName);
  const model = join(folder, `${name}.api.json`);
  const extractorConfig = ExtractorConfig.prepare({
    configObject: {
      mainEntryPointFilePath: join(workspace, "dist", `${entry}.d.ts`),
      projectFolder: workspace,
      compiler: { tsconfigFilePath: join(workspace, "tsconfig.json") },
      apiReport: {
        ...{ enabled: true, reportFileName: `${name}.api.md` },
        ...{ reportFolder: join(folder, "reports"), reportTempFolder: join(folder, "made") },
      },
      docModel: { enabled: true, apiJsonFilePath: model },
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
  // That the report has changed is the test's to say.
  const messageCallback = (message: ExtractorMessage) => {
    message.handled = true;
  };
  Extractor.invoke(extractorConfig, { localBuild: false, messageCallback });
  const { members } = JSON.parse(readFileSync(model, "utf8")) as ApiItem;
  return {
    report: readFileSync(join(folder, "made", `${name}.api.md`), "utf8"),
    items: members?.[0]?.members ?? [],
  };
}
