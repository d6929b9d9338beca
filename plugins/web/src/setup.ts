import type { PluginSetup } from "@hermes/core";
import type { WebOptions } from "./config.ts";

/** The page's set-up, for `hermes init` and `hermes doctor`. */
export const setup: PluginSetup<WebOptions> = {
  title: "Web page",
  summary: "a page in the browser that the gateway serves; no account needed",
  ways: [{ name: "page", title: "a page on this machine", questions: [], needsHome: false }],
  examine: async (options, context) => (await import("./examine.ts")).examine(options, context),
};
