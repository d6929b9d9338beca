import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PERSONAL_LIBRARY, withPersonalLibrary } from "./personal-library.ts";

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");

it("the install hint names the supported Baileys version, which is not a dependency", () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(read("package.json"));
  expect(`@whiskeysockets/baileys@${peerDependencies["@whiskeysockets/baileys"]}`).toBe(PERSONAL_LIBRARY);
  expect(peerDependenciesMeta["@whiskeysockets/baileys"]).toEqual({ optional: true });
  expect(Object.keys(dependencies)).not.toContain("@whiskeysockets/baileys");
  expect(read("README.md")).toContain(`npm install ${PERSONAL_LIBRARY}\n`);
});

it("its lack is told with what to install, and anything else as it is", async () => {
  const missing = Object.assign(new Error("Cannot find package '@whiskeysockets/baileys' imported from here"), {
    code: "ERR_MODULE_NOT_FOUND",
  });
  await expect(withPersonalLibrary(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "PLUGIN_NEEDS_PACKAGE",
    hint: expect.stringContaining(`npm install ${PERSONAL_LIBRARY}`),
  });
  const other = Object.assign(new Error("Cannot find package 'ws'"), { code: "ERR_MODULE_NOT_FOUND" });
  await expect(withPersonalLibrary(() => Promise.reject(other))).rejects.toBe(other);
});
