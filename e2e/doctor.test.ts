import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";

interface DoctorDocument {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly state: string;
    readonly message: string;
    readonly hint: string | null;
  }[];
}

async function examine(machine: HermesMachine): Promise<DoctorDocument & { readonly code: number | null }> {
  const { code, stdout, stderr } = await machine.run("doctor", "--json");
  expect(stderr).toBe("");
  return { code, ...(JSON.parse(stdout) as DoctorDocument) };
}

it("a gateway that serves has no problem, and a stopped one is named with its pid", async () => {
  await using model = await startModel();
  await using machine = machineWith(model);
  const gateway = await machine.startGateway();
  const well = await examine(machine);
  expect(well.findings.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(well.code).toBe(0);
  expect(well.findings.map(({ message }) => message)).toContainEqual(expect.stringContaining("The page is served at"));

  await machine.suspend(gateway);
  const { code, findings } = await examine(machine);
  gateway.kill("SIGCONT");
  expect(code).toBe(1);
  expect(findings).toContainEqual(
    expect.objectContaining({
      ...{ check: "gateway", state: "problem" },
      message: expect.stringContaining("is stopped, as by Ctrl-Z"),
      hint: expect.stringMatching(/^`kill -CONT \d+` resumes it\.$/),
    }),
  );
});

it("a token that the platform refuses is a problem, and is printed nowhere", async () => {
  await using emulator = await startTelegramEmulator();
  const token = "110201543:AAnobody-ever-had-this-token-0000000";
  const options = { ...emulator.options, token };
  await using machine = new HermesMachine({ plugins: [["@hermes/plugin-telegram", options]] });
  const { code, findings } = await examine(machine);
  expect(code).toBe(1);
  expect(findings.filter(({ check }) => check === "plugin telegram")).toContainEqual(
    expect.objectContaining({ state: "problem", message: expect.stringContaining("does not accept the token") }),
  );
  expect(JSON.stringify(findings)).not.toContain("nobody-ever-had");
});
