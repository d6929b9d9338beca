import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PATH = process.env.HERMES_CHROMIUM ?? "/usr/bin/chromium";

/** Whether there is a browser to test with. In CI there has to be one. */
export function hasChromium(): boolean {
  if (existsSync(PATH)) return true;
  if (process.env.CI) throw new Error(`${PATH} is missing: install Chromium, or name it with HERMES_CHROMIUM`);
  console.warn(`The tests of the page were left out: there is no ${PATH} (HERMES_CHROMIUM names another).`);
  return false;
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: PATH,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
