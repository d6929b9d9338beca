import { randomUUID } from "node:crypto";
import type { OperatorOverview } from "@hermes/core";
import { createVirtualClock, type RunningAdapter, startAdapter, type VirtualClock } from "@hermes/testing";
import { WebAdapter } from "../src/adapter.ts";
import { openLink } from "../src/cli.ts";
import { webOptions } from "../src/config.ts";
import { BrowserClient } from "./browser-client.ts";

export interface RunningWeb extends RunningAdapter<WebAdapter, null> {
  readonly baseUrl: string;
  /** A link as the terminal prints it. */
  link(path?: string): Promise<string>;
  /** A browser that is signed in. */
  browser(): Promise<BrowserClient>;
}

/** There is no emulator: the platform is the adapter's own server. */
export async function startWeb(
  config: Record<string, unknown> = {},
  { overview, clock = createVirtualClock() }: { overview?: OperatorOverview; clock?: VirtualClock } = {},
): Promise<RunningWeb> {
  const running = await startAdapter({
    emulator: null,
    options: webOptions,
    config: { port: 0, ...config },
    clock,
    create: (deps) => new WebAdapter({ ...deps, overview }),
  });
  const { folder } = running;
  const ids = { next: (prefix: string) => `${prefix}_${randomUUID()}` };
  const web = {
    async link(path = "/") {
      return (await openLink(baseUrl() + path, { folder, clock, ids, print() {} })).url;
    },
    async browser() {
      const browser = new BrowserClient(baseUrl());
      const response = await browser.signIn(await web.link());
      if (!response.ok) throw new Error(`signing in failed: ${response.status} ${await response.text()}`);
      return browser;
    },
  };
  const baseUrl = () => {
    const { baseUrl } = running.adapter;
    if (baseUrl === null) throw new Error("the adapter is not running");
    return baseUrl;
  };
  return Object.defineProperty(Object.assign(running, web), "baseUrl", { get: baseUrl }) as RunningWeb;
}
