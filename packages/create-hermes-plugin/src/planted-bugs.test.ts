import type { PluginDeps, PluginDescriptor } from "@hermes/core";
import { type AdapterUnderTest, proveAdapter } from "@hermes/testing";
import { PLANTED_BUGS } from "@hermes/testing/adapter-kit/planted-bugs/all-bugs";
import type { PlantedBug } from "@hermes/testing/adapter-kit/planted-bugs/planted-bug";
import { expect, it, vi } from "vitest";
import type { AcmeEmulator } from "../template/emulator/index.ts";
import { subject } from "../template/test/subject.ts";

// Each of these waits for something that never comes.
vi.setConfig({ testTimeout: 240_000 });

/** Bugs that can be written around any adapter, by what the kit calls them. */
const BUGS = [
  "reports what is written in a thread under the chat",
  "keys a conversation by when its process was started",
  "leaves the account out of the key",
  "gives a thread the key of its chat",
  "acknowledges a message before Hermes has kept it",
  "acknowledges a message that Hermes could not keep",
  "makes a new id of a message that is delivered again",
  "passes over a message with a lower number than the last one",
  "takes an edited message for a new one",
  "hands over messages in the wrong order",
  "hands over a forwarded message as its sender's own words",
  "takes everything in a group for addressed to the bot",
  "does not see that it is mentioned",
  "knows people by their display name",
  "tells when a message was written in seconds",
  "says that several are in a private chat with one person",
  "puts its name into a message above each",
  "tells how long to wait in seconds",
  "throws the errors of its library",
  "sends each message under a key of its own, and finds none by the key it was given",
  "does not edit at all",
  "edits only what the same process has sent",
  "takes a message that was refused for one that arrived",
  "calls every thread the same",
  "claims threads and opens none",
  "sends a new message instead of an edit",
  "goes on receiving after it was stopped",
  "leaves formatting marks out of what a person wrote",
] as const;

const CHOSEN = BUGS.map((bug) => PLANTED_BUGS.find((one) => one.bug === bug));

/** A bug that is written around any adapter has no platform in memory to look into. */
const NO_LOOPBACK: never = new Proxy({} as never, {
  get: () => {
    throw new Error("this bug is one of the loopback platform");
  },
});

/** The scaffold's adapter with a bug. */
function broken({ plant }: PlantedBug): AdapterUnderTest<AcmeEmulator> {
  return {
    ...subject,
    // Short, since what the bug breaks never happens.
    patienceMs: 6_000,
    descriptor(emulator, options): PluginDescriptor {
      const descriptor = subject.descriptor(emulator, options);
      const create = async (deps: PluginDeps) => {
        const adapter = await descriptor.create(deps);
        plant(adapter, NO_LOOPBACK);
        return adapter;
      };
      return { ...descriptor, create };
    },
  };
}

it("more than twenty bugs of the kit's table are planted in the scaffold's adapter", () => {
  expect(CHOSEN.filter((bug) => bug !== undefined).length).toBeGreaterThanOrEqual(20);
  expect(CHOSEN).not.toContain(undefined);
});

it.concurrent.each(CHOSEN.flatMap((bug) => bug ?? []))(
  "the scaffold's adapter that $bug is caught by $caughtBy.0",
  async (bug) => {
    const [proof, says] = bug.caughtBy;
    const [finding] = await proveAdapter(broken(bug), [proof]);
    expect(finding).toMatchObject({ result: "failed", detail: expect.stringMatching(says) });
  },
);

it.concurrent.each([...new Set(CHOSEN.flatMap((bug) => bug?.caughtBy[0] ?? []))])(
  "the scaffold's adapter as it is written passes %s",
  async (id) => {
    // Long, since many run beside each other.
    const [finding] = await proveAdapter({ ...subject, patienceMs: 60_000 }, [id]);
    expect(finding).toMatchObject({ result: "passed" });
  },
);
