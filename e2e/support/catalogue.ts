import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { AdapterReport } from "@hermes/testing";
import { z } from "zod";

const docs = resolve(import.meta.dirname, "../../docs");

const ABOUT = { name: z.string().min(1), package: z.string().min(1), link: z.string().min(1) };

/** A plugin as `docs/catalogue.json` lists it. The kit proves adapters, so tools have no report. */
export const ENTRY = z.discriminatedUnion("kind", [
  z.strictObject({
    ...{ ...ABOUT, kind: z.literal("platform") },
    ...{ platform: z.string().min(1), report: z.string().nullable() },
  }),
  z.strictObject({ ...ABOUT, kind: z.literal("tools") }),
]);

export type CatalogueEntry = z.infer<typeof ENTRY>;

/** The columns about features, with the proof that shows each. */
const FEATURES = {
  threads: "claims/threads",
  edits: "claims/edits",
  choices: "choices/pressed",
  files: "claims/files",
  typing: "claims/typing",
  history: "history/away",
  deletions: "retracted/waiting",
  mirrors: "claims/mirrors",
} as const;

export function readCatalogue(): CatalogueEntry[] {
  return z.array(ENTRY).parse(JSON.parse(readFileSync(resolve(docs, "catalogue.json"), "utf8")));
}

/** What the kit's run of an entry wrote; null where there is none. */
export function reportOf(entry: CatalogueEntry): AdapterReport | null {
  if (entry.kind !== "platform" || entry.report === null) return null;
  return JSON.parse(readFileSync(resolve(docs, entry.report), "utf8"));
}

/** The table of the plugins with what was proved of each, for `docs/plugins.md`. */
export function catalogueTable(entries: readonly CatalogueEntry[]): string {
  const head = ["plugin", "package", "kind", "proofs", ...Object.keys(FEATURES)];
  const rows = entries.map((entry) => {
    const { name, link, kind } = entry;
    return [`[${name}](${link})`, `\`${entry.package}\``, kind, ...cellsOf(entry)];
  });
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((line) => `| ${line.join(" | ")} |\n`).join("");
}

function cellsOf(entry: CatalogueEntry): string[] {
  const report = reportOf(entry);
  const none = entry.kind === "platform" ? "no report" : "–";
  if (report === null) return [none, ...Object.keys(FEATURES).map(() => "")];
  const { passed, failed, findings } = report;
  const claims = Object.values(FEATURES).map((id) => {
    const results = findings.filter((finding) => finding.id === id).map(({ result }) => result);
    return results.includes("passed") ? "✓" : "–";
  });
  return [`${passed}/${passed + failed}`, ...claims];
}
