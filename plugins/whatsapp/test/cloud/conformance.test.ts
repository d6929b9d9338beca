import type { PluginDeps } from "@hermes/core";
import { type AdapterUnderTest, describeAdapter, proveAdapter } from "@hermes/testing";
import { expect, it } from "vitest";
import type { WhatsAppCloudEmulator } from "../../emulator/index.ts";
import { FORMER_NUMBER } from "../identity-proofs.ts";
import { cloud } from "./subject.ts";

describeAdapter(cloud);

it("catches an adapter that answers at the number somebody had before", async () => {
  const broken: AdapterUnderTest<WhatsAppCloudEmulator> = {
    ...cloud,
    patienceMs: 3_000,
    descriptor(emulator, options) {
      const descriptor = cloud.descriptor(emulator, options);
      const create = async (deps: PluginDeps) => {
        const adapter = await descriptor.create(deps);
        const send = adapter.send.bind(adapter);
        adapter.send = (to, ...more) => send({ ...to, chatId: FORMER_NUMBER }, ...more);
        return adapter;
      };
      return { ...descriptor, create };
    },
  };
  const [finding] = await proveAdapter(broken, ["identity/answered-where-they-wrote"]);
  expect(finding).toMatchObject({ result: "failed", detail: expect.stringMatching(/where the answers went/) });
});
