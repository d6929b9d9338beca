import type { HomeChannel, PluginSetup } from "@hermes/core";
import { Findings, PlatformError, platformErrors, platformOptions, untilAborted, z } from "@hermes/core";
import type { LoopbackEmulator } from "../../loopback-emulator.ts";
import type { LoopbackPlatform } from "../../loopback-platform.ts";
import type { RicherPlatform } from "./richer-platforms.ts";

export const TOKEN = "loopback-token-4711";

/** A platform that needs a token, which the set-up asks for and checks. */
export function withSetup(): RicherPlatform {
  const { extend, tell, fit } = askingForToken();
  let latest: LoopbackPlatform | undefined;
  const setup: PluginSetup = {
    title: "Loopback",
    summary: "messages within this process",
    ways: [
      {
        name: "token",
        title: "with a token",
        questions: [
          { option: "token", label: "The token", variable: "LOOPBACK_TOKEN", steps: ["Take the one there is."] },
        ],
      },
    ],
    async examine(options, { signal }) {
      const { token, homeChannel } = options as { readonly token: string; readonly homeChannel?: HomeChannel };
      const found = new Findings();
      await found.during(async () => {
        if (token !== TOKEN) return found.problem("The loopback does not accept the token.", "Take the one there is.");
        found.account = { id: "bot", name: "bot" };
        const late = () => platformErrors("loopback").unavailable("it took too long");
        if (homeChannel) await untilAborted(latest?.onCall("homeConversation", { homeChannel }), signal, late);
        found.ok("The loopback accepts the token.");
      });
      return found.toExamination();
    },
  };
  return {
    ...(fit && { fit }),
    extend(emulator) {
      extend?.(emulator);
      latest = emulator.loopback;
    },
    tell: (sound) => ({
      setup: { setup },
      descriptor(emulator, more) {
        const descriptor = { ...sound, ...tell?.(sound) }.descriptor(emulator, more);
        return {
          ...descriptor,
          schema: z.object({ ...platformOptions, token: z.string() }) as typeof descriptor.schema,
        };
      },
    }),
  };
}

/** A platform that needs a token. */
export function askingForToken(): RicherPlatform {
  return {
    extend: (emulator) => void Object.assign(emulator, { options: { token: TOKEN } }),
    tell: () => ({
      descriptor: ({ loopback, options }, more) => loopback.plugin({ ...options, ...more }),
    }),
    fit(adapter, _, { options }) {
      const start = adapter.start.bind(adapter);
      adapter.start = async (events, signal) => {
        const { token } = options as { readonly token?: string };
        if (token !== TOKEN) throw new PlatformError("PLATFORM_UNAUTHORISED", { platform: "loopback" });
        await start(events, signal);
      };
    },
  };
}

/** A platform whose access tokens end, and on which a client can sign in again with a password. */
export function endingTokens(): RicherPlatform {
  let emulated: LoopbackEmulator | null = null;
  let client: { signIn?(): Promise<void> } = {};
  return {
    extend(emulator) {
      emulated = emulator;
    },
    tell: () => ({
      renewals: [
        {
          name: "the token has expired",
          options: () => ({ token: TOKEN, password: "a-long-password" }),
          async end(emulator) {
            emulator.fail({ operation: "connect", times: 100_000, kind: { is: "break" } });
            emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
            await client.signIn?.();
          },
        },
      ],
    }),
    fit(adapter) {
      // From then on, the platform accepts its connection again.
      client = Object.assign(adapter, { signIn: async () => emulated?.heal() });
    },
  };
}
