import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { REPORT_VERSION } from "@hermes/testing";
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
