import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { printFindings, publishFindings } from "./report.ts";
import type { AdapterFinding } from "./run-proof.ts";

const about = { platform: "acme", rule: "9 capabilities are claims", proof: "it is so" };
const FINDINGS: readonly AdapterFinding[] = [
  { ...about, id: "claims/edits", result: "passed" },
  { ...about, id: "claims/typing", result: "not claimed", detail: "It has none.", toClaim: "Write `typing`." },
  { ...about, id: "claims/files", result: "not claimed", detail: "It has none.", toClaim: "Render files." },
  { ...about, id: "files/bytes", rule: "Guarantee: files", result: "not claimed", toClaim: "Render files." },
];

it("what to write is listed once for all proofs that wait for it", () => {
  expect(printFindings(FINDINGS, "unclaimed")).toBe(
    "\nNot claimed yet (3 proofs), and what to write for it (docs/… is in node_modules/@hermes/testing):\n\n" +
      "  Write `typing`.\n    claims/typing\n  Render files.\n    claims/files, files/bytes\n\n",
  );
  expect(printFindings(FINDINGS.slice(0, 1), "unclaimed")).toBe("");
});

it("the table goes into the README between its two lines, and nowhere else", () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-report-"));
  try {
    const file = join(folder, "README.md");
    const readme = (table: string) =>
      `# A\n<!-- the kit's table: npm test writes it -->\n${table}<!-- the end of the kit's table -->\nEnd.\n`;
    writeFileSync(file, readme("old\n"));
    const environment = { HERMES_CONFORMANCE: "readme", HERMES_CONFORMANCE_FILE: file };
    publishFindings(FINDINGS, { isWhole: false, environment });
    expect(readFileSync(file, "utf8")).toBe(readme("old\n"));
    publishFindings(FINDINGS, { isWhole: true, environment });
    const table = readFileSync(file, "utf8");
    expect(table).toBe(
      readme(
        "| rule | proved | failed | not claimed |\n| --- | --- | --- | --- |\n" +
          "| capabilities are claims | 1 |  | 2 |\n| Guarantee: files |  |  | 1 |\n",
      ),
    );
    writeFileSync(file, "# Without\n");
    publishFindings(FINDINGS, { isWhole: true, environment });
    expect(readFileSync(file, "utf8")).toBe("# Without\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
