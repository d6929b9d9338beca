import { docsOf } from "@hermes/testing";
import { proofsOf } from "@hermes/testing/adapter-kit/all-proofs";
import { loopbackUnderTest } from "@hermes/testing/adapter-kit/loopback-under-test";
import { PLANTED_BUGS } from "@hermes/testing/adapter-kit/planted-bugs/all-bugs";
import { startLoopbackEmulator } from "@hermes/testing/loopback-emulator";
import { describe, expect, it } from "vitest";
import { expectOnPage } from "./support/generated-table.ts";

/** The part of the address of a proof's row that failures name. */
const anchorOf = (id: string) => docsOf(id).replace("@hermes/testing/docs/adapter-kit.md#", "");

const proofs = proofsOf(loopbackUnderTest(() => startLoopbackEmulator()) as Parameters<typeof proofsOf>[0]);

describe("the page about the adapter kit", () => {
  it("docs/adapter-kit.md shows each proof with the mistakes that it catches", () => {
    const rows = proofs.map(({ id, rule, proof }) => {
      const bugs = PLANTED_BUGS.filter(({ caughtBy: [proof] }) => proof === id).map(
        ({ bug }) => `an adapter that ${bug}`,
      );
      return [`<a id="${anchorOf(id)}"></a>\`${id}\``, rule, proof, bugs.join("; ")];
    });
    const lines = [["proof", "rule", "what is shown", "catches"], ["---", "---", "---", "---"], ...rows];
    const table = lines.map((line) => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`).join("");
    expectOnPage("adapter-kit.md", "adapter-kit", table);
  });

  it("each proof was seen to catch a mistake", () => {
    const caught = new Set(PLANTED_BUGS.map(({ caughtBy: [proof] }) => proof));
    expect(proofs.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });

  it("each planted mistake names a proof that there is", () => {
    const ids = proofs.map(({ id }) => id);
    expect(PLANTED_BUGS.map(({ caughtBy: [proof] }) => proof).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
