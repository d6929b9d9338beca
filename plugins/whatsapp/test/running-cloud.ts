import { type RunningAdapter, startAdapter } from "@hermes/testing";
import { startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "../emulator/index.ts";
import { CloudAdapter } from "../src/cloud/adapter.ts";
import { whatsappOptions } from "../src/config.ts";

export interface RunningCloud extends RunningAdapter<CloudAdapter, WhatsAppCloudEmulator> {
  /** The callback URL. */
  readonly webhookUrl: string;
}

/** `prepare` sets the platform up before the adapter starts. */
export async function startCloud(
  config: Record<string, unknown> = {},
  prepare?: (emulator: WhatsAppCloudEmulator) => void,
): Promise<RunningCloud> {
  const emulator = await startWhatsAppCloudEmulator();
  const { host, port, path } = emulator.options.webhook;
  const running = await startAdapter({
    emulator,
    options: whatsappOptions,
    config,
    prepare,
    create: (deps) => new CloudAdapter(deps),
    untilReady: ({ until }) => until(() => emulator.isConnected),
  });
  return Object.assign(running, { webhookUrl: `http://${host}:${port}${path}` });
}
