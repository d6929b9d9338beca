import { expect, it } from "vitest";
import { mayHaveOverview } from "./operator-overview.ts";

const asking = (name: string) => ({ package: name, overview: true });

it("only Hermes' own packages get the overview unless the config names others", () => {
  expect(mayHaveOverview(asking("@hermes/plugin-page"), null)).toBe(true);
  expect(mayHaveOverview({ package: "@hermes/plugin-pager", overview: false }, null)).toBe(false);
  for (const name of ["hermes-plugin-pager", "@hermes-team/plugin", "@hermes", "x@hermes/plugin"]) {
    expect(mayHaveOverview(asking(name), null)).toBe(false);
  }
  expect(mayHaveOverview(null, null)).toBe(false);
});

it("only packages that the config names get the overview, if they ask for it", () => {
  const allowed = ["hermes-plugin-pager"];
  expect(mayHaveOverview(asking("hermes-plugin-pager"), allowed)).toBe(true);
  expect(mayHaveOverview({ package: "hermes-plugin-pager", overview: false }, allowed)).toBe(false);
  expect(mayHaveOverview(asking("@hermes/plugin-page"), allowed)).toBe(false);
  expect(mayHaveOverview(asking("@hermes/plugin-page"), [])).toBe(false);
});
