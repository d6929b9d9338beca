import type { PluginDeps, PluginDescriptor } from "@hermes/core";
import { expect, it } from "vitest";
import { startLoopbackEmulator } from "../loopback-emulator.ts";
import type { LoopbackPlatform } from "../loopback-platform.ts";
import { loopbackUnderTest } from "./loopback-under-test.ts";
import { PLANTED_BUGS } from "./planted-bugs/all-bugs.ts";
import type { PlantedBug } from "./planted-bugs/planted-bug.ts";
import type { RicherPlatform } from "./planted-bugs/richer-platforms.ts";
import { proveAdapter } from "./prove-adapter.ts";
import { printFindings, publishFindings } from "./report.ts";
import type { AdapterUnderTest } from "./subject.ts";

/** The loopback adapter and its platform, with a planted bug. */
function broken(
  plant: PlantedBug["plant"],
  on: RicherPlatform = {},
  // Short, since what the bug breaks never happens; a busy machine is slower than the bug.
  patienceMs = 3_000,
  { spoil = (setup) => setup, misplay = () => {} }: Pick<PlantedBug, "spoil" | "misplay"> = {},
): AdapterUnderTest {
  let latest: LoopbackPlatform | undefined;
  const loopback = loopbackUnderTest(() => {
    const emulator = startLoopbackEmulator();
    on.extend?.(emulator);
    misplay(emulator);
    latest = emulator.loopback;
    return emulator;
  });
  const sound = { ...loopback, ...on.tell?.(loopback) };
  const { setup } = sound;
  const spoilt = setup && { ...setup, setup: spoil(setup.setup, () => latest as LoopbackPlatform) };
  return {
    ...sound,
    ...(spoilt && { setup: spoilt }),
    patienceMs,
    descriptor(emulator: ReturnType<typeof startLoopbackEmulator>, options): PluginDescriptor {
      const descriptor = sound.descriptor(emulator, options);
      const create = async (deps: PluginDeps) => {
        const adapter = await descriptor.create(deps);
        on.fit?.(adapter, emulator.loopback, deps);
        plant(adapter, emulator.loopback);
        return adapter;
      };
      return { ...descriptor, create };
    },
  } as AdapterUnderTest;
}

async function isCaught({ caughtBy: [proof, says], on, plant, ...elsewhere }: PlantedBug): Promise<void> {
  const [finding] = await proveAdapter(broken(plant, on?.(), undefined, elsewhere), [proof]);
  expect(finding).toMatchObject({ result: "failed", detail: expect.stringMatching(says), place: PLACE });
  if (TELLS_WHAT_HAPPENED.test(proof)) expect(finding?.trail).not.toEqual([]);
}

/** What a failure says of where it was: a home channel with its chat. */
const PLACE = expect.stringMatching(/^the home channel ".+" \((dm|group), (chat|thread ".+" of chat) ".+"\)$/);

/** Proofs in which people write, or Hermes sends. */
const TELLS_WHAT_HAPPENED =
  /^(keys\/c|durable|once|order|history|people\/a|rate|sending|living\/(text|commands)|references)/;

/** Bugs whose proofs measure the work of the whole process, or send much. */
const ALONE = PLANTED_BUGS.filter(({ caughtBy: [proof] }) => proof.startsWith("length/"));
const BESIDE_OTHERS = PLANTED_BUGS.filter((bug) => !ALONE.includes(bug));

it.each(ALONE)("catches an adapter that $bug, by $caughtBy.0", isCaught, 240_000);
it.concurrent.each(BESIDE_OTHERS)("catches an adapter that $bug, by $caughtBy.0", isCaught);

const ON_RICHER_PLATFORMS = PLANTED_BUGS.flatMap(({ caughtBy: [proof], on }) => (on ? [{ proof, on }] : []));

/** A sound adapter that takes no files shows that it renders none, and claims nothing. */
const SHOWS_THAT_NOTHING_IS_CLAIMED = "claims/files";

it.concurrent.each(ON_RICHER_PLATFORMS)(
  "passes a sound adapter on the platform of the bug that $proof catches",
  async (bug) => {
    const [finding] = await proveAdapter(
      broken(() => {}, bug.on(), 30_000),
      [bug.proof],
    );
    const result = bug.proof === SHOWS_THAT_NOTHING_IS_CLAIMED ? "not claimed" : "passed";
    expect(finding).toMatchObject({ result });
  },
);

it("reports why a proof does not apply, and runs the adapter's own proofs", async () => {
  const subject: AdapterUnderTest = {
    ...broken(() => {}),
    notClaimed: { "once/edited": "Nobody edits there." },
    extras: [{ id: "own/proof", rule: "its own", proof: "one | two", run: async () => {} }],
  };
  const findings = await proveAdapter(subject, ["once/edited", "own/proof"]);
  expect(findings.map(({ id, result, detail }) => ({ id, result, detail }))).toEqual([
    { id: "once/edited", result: "not claimed", detail: "Nobody edits there." },
    { id: "own/proof", result: "passed", detail: undefined },
  ]);
  expect(printFindings(findings, "table")).toContain("| loopback | its own | one \\| two | passed |  |");
  const lines = printFindings(findings, "json").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(findings);
  expect(() => publishFindings(findings, { isWhole: true, environment: {} })).not.toThrow();
});
