import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type AdapterReport, REPORT_VERSION } from "@hermes/testing";
import { expect, it } from "vitest";
import { z } from "zod";
import { expectOnPage } from "./support/generated-table.ts";

const root = resolve(import.meta.dirname, "..");

const ENTRY = z.strictObject({
  name: z.string().min(1),
  package: z.string().min(1),
  platform: z.string().min(1),
  kind: z.string().min(1),
  link: z.string().min(1),
  report: z.string().nullable(),
});

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

const catalogue = z.array(ENTRY).parse(JSON.parse(readFileSync(resolve(root, "docs/catalogue.json"), "utf8")));

function reportOf({ report }: z.infer<typeof ENTRY>): AdapterReport | null {
  return report === null ? null : JSON.parse(readFileSync(resolve(root, "docs", report), "utf8"));
}

function cellsOf(report: AdapterReport | null): string[] {
  if (report === null) return ["no report", ...Object.keys(FEATURES).map(() => "")];
  const { passed, failed, findings } = report;
  const claims = Object.values(FEATURES).map((id) => {
    const results = findings.filter((finding) => finding.id === id).map(({ result }) => result);
    return results.includes("passed") ? "✓" : "–";
  });
  return [`${passed}/${passed + failed}`, ...claims];
}

it("docs/plugins.md shows what the kit proved of each plugin in the catalogue", () => {
  const head = ["plugin", "package", "kind", "proofs", ...Object.keys(FEATURES)];
  const rows = catalogue.map((entry) => {
    const { name, link, kind } = entry;
    return [`[${name}](${link})`, `\`${entry.package}\``, kind, ...cellsOf(reportOf(entry))];
  });
  const lines = [head, head.map(() => "---"), ...rows];
  expectOnPage("plugins.md", "catalogue", lines.map((line) => `| ${line.join(" | ")} |\n`).join(""));
});

it.each(catalogue.filter(({ report }) => report !== null))(
  "the report of $name is of all proofs, and none failed",
  (entry) => {
    const report = reportOf(entry);
    expect(report).toMatchObject({
      ...{ reportVersion: REPORT_VERSION, only: null, failed: 0 },
      package: { name: entry.package },
    });
    expect(new Set(report?.findings.map(({ platform }) => platform))).toEqual(new Set([entry.platform]));
  },
);

it("the plugins of this repository are in the catalogue, as hermes knows them", () => {
  const known = JSON.parse(readFileSync(resolve(root, "core/platforms.json"), "utf8"));
  expect(catalogue).toEqual(
    expect.arrayContaining(
      known.map(({ platform, package: name }: { platform: string; package: string }) =>
        expect.objectContaining({ platform, package: name }),
      ),
    ),
  );
});
