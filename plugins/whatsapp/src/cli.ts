import type { Logger, PluginCli, PluginCliContext } from "@hermes/core";
import { type WhatsAppOptions, whatsappOptions } from "./config.ts";

/** What `hermes whatsapp …` can do. */
const cli: PluginCli = {
  commands: [
    {
      name: "link",
      description: "Links this machine to an account by a code: WhatsApp › Linked devices › Link a device",
      run: link,
    },
  ],
};

export default cli;

/** `--text`: the code as text, for a program that draws it. */
async function link(args: readonly string[], context: PluginCliContext): Promise<number> {
  const { print, folder, clock } = context;
  if (args.some((arg) => arg !== "--text")) {
    print("hermes whatsapp link [--text]   --text prints the code as text rather than as a picture.");
    return 2;
  }
  const asText = args.includes("--text");
  const [{ linkDevice }, { renderUnicodeCompact }] = await Promise.all([import("./personal/link.ts"), import("uqr")]);
  // A plugin that is only installed has no options: WhatsApp's own server then.
  const options = (context.options ?? whatsappOptions.parse({ transport: "personal" })) as WhatsAppOptions;
  print("Open WhatsApp on the phone: Settings › Linked devices › Link a device, and scan this code.");
  const onCode = (code: string) => print(asText ? code : `\n${renderUnicodeCompact(code, { border: 2 })}\n`);
  const number = await withPassingTimers(() => linkDevice({ options, folder, clock, logger: silent, onCode }));
  print(`Linked to +${number}. Its credentials are in ${folder}: whoever has them reads and writes as this account.`);
  print("Start the gateway, or restart it if it runs.");
  return 0;
}

/** The library leaves timers of half a minute behind, for which a command that is done would be kept waiting. */
async function withPassingTimers<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout } = globalThis;
  const passing = (...given: Parameters<typeof setTimeout>) => setTimeout(...given).unref();
  Reflect.set(globalThis, "setTimeout", passing);
  try {
    return await work();
  } finally {
    Reflect.set(globalThis, "setTimeout", setTimeout);
  }
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
