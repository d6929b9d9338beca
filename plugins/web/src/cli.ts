import type { PluginCli, PluginCliContext } from "@hermes/core";
import type { WebFile } from "./storage/web-file.ts";

/** How long the terminal waits for a locked file, in milliseconds: longer than the server does. */
const BUSY_MS = 2_000;

const NEVER_SERVED = "The page has not been served yet. Start the gateway: `hermes gateway`.";

/** `hermes web …`, and the links that the terminal prints. */
const webCli: PluginCli = {
  openLink,
  commands: [
    {
      name: "open",
      description: "print a link that opens the page and signs one browser in",
      async run(_args, context) {
        const { url, note } = await openLink("/", context);
        if (url === "/") {
          context.print(NEVER_SERVED);
          return 1;
        }
        context.print(url);
        if (note !== undefined) context.print(note);
        if (!(await isServed(url))) context.print("Nothing answers there now. Is the gateway running?");
        return 0;
      },
    },
    {
      name: "sign-out",
      description: "sign out every browser",
      async run(_args, context) {
        using file = await openFile(context);
        const count = file.signIns.forgetAll();
        context.print(count === 1 ? "1 browser was signed out." : `${count} browsers were signed out.`);
        return 0;
      },
    },
  ],
};

export const { commands } = webCli;
export default webCli;

/**
 * Adds a code to a link of the page; it signs one browser in, once, within two minutes. The code is in the fragment,
 * which browsers do not send. A link of an earlier start gets the present port and name.
 */
export async function openLink(
  link: string,
  context: PluginCliContext,
): Promise<{ readonly url: string; readonly note?: string }> {
  using file = await openFile(context);
  const { baseUrl } = file.meta;
  if (baseUrl === null) return { url: link, note: NEVER_SERVED };
  // The code is sent to our own server only, whatever address the stored link has.
  const url = new URL(new URL(link, baseUrl).pathname, baseUrl);
  url.hash = `code=${file.signIns.mintCode(context.clock.now())}`;
  return { url: url.href, note: noteOn(url) };
}

async function openFile(context: PluginCliContext): Promise<WebFile> {
  // Loaded here, since listing the commands needs no database.
  const { openWebFile } = await import("./storage/web-file.ts");
  return openWebFile(context.folder, { now: context.clock.now(), busyMs: BUSY_MS });
}

/** Whether the server answers. False also if only this machine cannot reach the page by its name. */
function isServed(url: string): Promise<boolean> {
  // A proxy may lead to a page to sign in on: the page is served all the same, and no credential goes along.
  return fetch(new URL("/healthz", url), { redirect: "follow", signal: AbortSignal.timeout(1_500) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function noteOn(url: URL): string {
  const lifetime = "The link works once, within 2 minutes.";
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return isLoopback
    ? `${lifetime} Only this machine can open it; for the phone, set \`publicUrl\` or \`host\` of the web plugin in the config.`
    : lifetime;
}
