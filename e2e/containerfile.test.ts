import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { listIn, readContainerfile } from "../scripts/packages/containerfile.ts";
import { FRONT, PUBLISHED, SCOPE } from "../scripts/packages/identity.ts";

const root = resolve(import.meta.dirname, "..");
const { base, steps } = readContainerfile(readFileSync(join(root, "Containerfile"), "utf8"));

const textOf = (instruction: string, name = "") =>
  steps.find((step) => step.instruction === instruction && step.text.includes(name))?.text ?? "";

it("the container installs Hermes and every plugin that does not come with it", () => {
  expect(base).toBe("node:24-slim");
  expect(textOf("RUN", "npm install")).toContain(FRONT);
  const plugins = PUBLISHED.filter((folder) => folder.startsWith("plugins/") && folder !== "plugins/web");
  const names = plugins.map((folder) => folder.replace("plugins/", `${SCOPE}/plugin-`)).sort();
  expect(
    textOf("ARG", "PLUGINS")
      .match(/@[\w-]+\/[\w-]+/g)
      ?.sort(),
  ).toEqual(names);
});

it("the container runs the gateway itself, as a user who is not root", () => {
  expect([...listIn(textOf("ENTRYPOINT")), ...listIn(textOf("CMD"))]).toEqual(["hermes", "gateway"]);
  expect(textOf("USER")).toMatch(/^[1-9]\d*:/);
  expect(textOf("ENV", "HERMES_HOME")).toBe(`HERMES_HOME=${textOf("VOLUME")}`);
  expect(listIn(textOf("HEALTHCHECK"))).toEqual(["hermes", "status", "--healthy"]);
});

it("an instruction that is not known is refused", () => {
  expect(() => readContainerfile("FROM scratch\nONBUILD RUN true\n")).toThrow("ONBUILD is not read here");
  expect(() => readContainerfile("RUN true\n")).toThrow("begins with FROM");
});
