import { readFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { proofIdsOf, REPORT_VERSION, subjectsIn } from "@hermes/testing";
import { expect, it } from "vitest";
import { catalogueTable, ENTRY, readCatalogue, reportOf } from "./support/catalogue.ts";
import { expectOnPage } from "./support/generated-table.ts";

const root = resolve(import.meta.dirname, "..");
const catalogue = readCatalogue();

it("docs/plugins.md shows what the kit proved of each plugin in the catalogue", () => {
  expectOnPage("plugins.md", "catalogue", catalogueTable(catalogue));
});

it("a plugin of tools is listed without a platform and a report", () => {
  const dice = { name: "Dice", package: "hermes-plugin-dice", kind: "tools", link: "https://dice.example" };
  const [, , row] = catalogueTable([ENTRY.parse(dice)]).split("\n");
  expect(row).toMatch(/^\| \[Dice\]\(https:\/\/dice\.example\) \| `hermes-plugin-dice` \| tools \| – \|/);
  expect(() => ENTRY.parse({ ...dice, kind: "platform" })).toThrow(/platform/);
  expect(() => ENTRY.parse({ ...dice, report: "catalogue/dice.json" })).toThrow(/report/);
});

it.each(catalogue.filter((entry) => reportOf(entry) !== null))(
  "the report of $name is of all proofs, and none failed",
  (entry) => {
    const report = reportOf(entry);
    expect(report).toMatchObject({
      ...{ reportVersion: REPORT_VERSION, only: null, failed: 0 },
      package: { name: entry.package },
    });
    const platforms = new Set(report?.findings.map(({ platform }) => platform));
    expect(entry).toMatchObject({ platform: [...platforms].join() });
  },
);

const idOf = (subject: string) => (id: string) => (subject === "" ? id : `${subject}: ${id}`);

/** The plugins of this repository: of others, nobody here can run the proofs anew. */
const OWN = catalogue.filter((entry) => entry.link.startsWith("../plugins/") && reportOf(entry) !== null);

it.each(OWN)("the report of $name is of the proofs that the kit has now", async (entry) => {
  const folder = resolve(root, "docs", entry.link, "..");
  const { hermes } = JSON.parse(readFileSync(resolve(folder, "package.json"), "utf8"));
  const subjects = subjectsIn(await import(resolve(folder, hermes.conformance))) ?? {};
  const current = Object.entries(subjects).flatMap(([name, one]) => proofIdsOf({ [name]: one }).map(idOf(name)));
  const reported = reportOf(entry)?.findings.map(({ subject = "", id }) => idOf(subject)(id)) ?? [];
  const where = relative(root, folder);
  const again = `npx hermes prove ${where} --json > docs/catalogue/${basename(folder)}.json`;
  expect(reported.sort(), `The report is stale; make it anew: ${again}`).toEqual(current.sort());
});

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
