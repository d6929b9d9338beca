import { cpSync, mkdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";

const root = resolve(import.meta.dirname, "..");

/** A plugin that imports zod itself and spreads core's options into a schema of that zod. */
const ACME = join(import.meta.dirname, "fixtures/hermes-plugin-acme");

function withAcme(options: object): HermesMachine {
  const machine = new HermesMachine({ plugins: [["hermes-plugin-acme", { token: "acme-token", ...options }]] });
  const modules = join(machine.folder, "node_modules");
  unlinkSync(modules);
  mkdirSync(modules);
  symlinkSync(join(root, "node_modules/@hermes"), join(modules, "@hermes"));
  cpSync(ACME, join(modules, "hermes-plugin-acme"), { recursive: true });
  for (const name of ["zod", "mdast-util-to-string"]) {
    cpSync(join(root, "node_modules", name), join(modules, "hermes-plugin-acme/node_modules", name), {
      recursive: true,
    });
  }
  return machine;
}

it("a plugin that brings its own zod has its options accepted", async () => {
  await using machine = withAcme({ homeChannel: "C1", allowedUsers: ["U1"], places: { plans: "C2" } });
  expect(await machine.run("config", "check")).toMatchObject({ code: 0, stderr: "" });
});

it("Hermes names what is wrong in a plugin's options, whichever zod checks them", async () => {
  await using machine = withAcme({ homeChannel: { chatId: "" }, allowedUsers: "U1", url: "ftp://acme", tokken: "x" });
  const { code, stdout, stderr } = await machine.run("config", "check");
  expect(code).toBe(1);
  for (const key of ["homeChannel.chatId", "allowedUsers", "url", "tokken"]) {
    expect(stdout + stderr).toContain(`plugins[0].${key}`);
  }
});
