import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterEvents, InboundMessage } from "@hermes/core";
import { createVirtualClock, pluginDeps, type VirtualClock } from "@hermes/testing";
import { WebAdapter } from "../src/adapter.ts";
import { openLink } from "../src/cli.ts";
import { webOptions } from "../src/config.ts";
import { BrowserClient } from "./browser-client.ts";

/** A started adapter in a folder of its own, with a Hermes that only notes what it receives. */
export interface RunningWeb extends AsyncDisposable {
  readonly folder: string;
  readonly clock: VirtualClock;
  readonly adapter: WebAdapter;
  readonly baseUrl: string;
  readonly received: InboundMessage[];
  readonly logged: string[];
  /** With what the plugin asked to be started again. */
  readonly failures: unknown[];
  /** What Hermes does with a message; resolves at once unless a test says otherwise. */
  onReceive: (message: InboundMessage) => Promise<void>;
  /** A link as the terminal prints it. */
  link(path?: string): Promise<string>;
  /** A browser that is signed in. */
  browser(): Promise<BrowserClient>;
  /** Stops the adapter and starts another one on the same folder, as a new process would. */
  restart(): Promise<void>;
}

export async function startWeb(
  options: Partial<Parameters<typeof webOptions.parse>[0] & object> = {},
): Promise<RunningWeb> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
  const clock = createVirtualClock();
  const checked = webOptions.parse({ port: 0, ...options });
  const logged: string[] = [];
  const received: InboundMessage[] = [];
  const failures: unknown[] = [];
  const deps = pluginDeps({ options: checked, clock, folder }, logged);
  const { ids } = deps;
  const make = () => new WebAdapter(deps);
  const running: RunningWeb & { adapter: WebAdapter } = {
    folder,
    clock,
    received,
    logged,
    failures,
    adapter: make(),
    onReceive: async () => {},
    get baseUrl() {
      const { baseUrl } = running.adapter;
      if (baseUrl === null) throw new Error("the adapter is not running");
      return baseUrl;
    },
    async link(path = "/") {
      return (await openLink(running.baseUrl + path, { folder, clock, ids, print() {} })).url;
    },
    async browser() {
      const browser = new BrowserClient(running.baseUrl);
      await browser.signIn(await running.link());
      return browser;
    },
    async restart() {
      await running.adapter.stop();
      running.adapter = make();
      await running.adapter.start(events, new AbortController().signal);
    },
    async [Symbol.asyncDispose]() {
      await running.adapter.stop();
      rmSync(folder, { recursive: true });
    },
  };
  const events: AdapterEvents = {
    async receive(message) {
      received.push(message);
      await running.onReceive(message);
    },
    async settle() {},
    async choose() {},
    async moved() {},
    fail: (error) => void failures.push(error),
  };
  try {
    await running.adapter.start(events, new AbortController().signal);
    return running;
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}
