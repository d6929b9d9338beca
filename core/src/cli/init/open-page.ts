import { spawn } from "node:child_process";
import type { Io } from "../../terminal/io.ts";

/** Whether a browser of the person could be opened from here: over SSH and without a screen it could not. */
export function canOpenPage({ environment, isInteractive }: Io, system: NodeJS.Platform = process.platform): boolean {
  if (!isInteractive || environment.SSH_CONNECTION || environment.SSH_TTY) return false;
  if (system === "win32" || system === "darwin") return true;
  return Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
}

/** Opens an address in the person's browser; does nothing if there is none. */
export function openPage({ environment }: Io, address: string, system: NodeJS.Platform = process.platform): void {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return;
  const [command, ...words] = OPENERS[system] ?? ["xdg-open"];
  const child = spawn(command, [...words, url.href], { env: environment, stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
