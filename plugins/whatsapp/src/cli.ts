import { HermesError, type Logger, type PluginCli, type PluginCliContext } from "@hermes/core";
import { type WhatsAppOptions, whatsappOptions } from "./config.ts";
import { withPersonalLibrary } from "./personal-library.ts";

/** The commands `hermes whatsapp …`. */
const cli: PluginCli = {
  commands: [
    {
      name: "link",
      description: "Links this machine to an account by a code: WhatsApp › Linked devices › Link a device",
      options: [{ form: "--text", description: "print the code as text, for a program that draws it" }],
      run: link,
    },
  ],
};

export default cli;

const HOW_TO_SCAN =
  "Open WhatsApp on the phone: Settings › Linked devices › Link a device, and scan this code. A new one takes its place after a while.";

async function link(args: readonly string[], { print, folder, ...context }: PluginCliContext): Promise<number> {
  const asText = args.includes("--text");
  // A plugin that is installed but not configured has no options; use WhatsApp's own server then.
  const options = (context.options ?? whatsappOptions.parse({ transport: "personal" })) as WhatsAppOptions;
  if (options.transport !== "personal") throw notPersonal();
  const [{ linkDevice }, { renderUnicodeCompact }] = await Promise.all([
    withPersonalLibrary(() => import("./personal/link.ts")),
    import("uqr"),
  ]);
  let codes = 0;
  const onCode = (code: string) => {
    if (codes++ === 0) print(HOW_TO_SCAN);
    print(asText ? code : `\n${renderUnicodeCompact(code, { border: 2 })}\n`);
  };
  const number = await withPassingTimers(() => linkDevice({ options, folder, logger: silent, onCode }));
  print(`Linked to +${number}. Its credentials are in ${folder}: whoever has them reads and writes as this account.`);
  print("Start the gateway, or restart it if it runs.");
  return 0;
}

function notPersonal(): HermesError {
  return new HermesError("PLUGIN_COMMAND_FAILED", {
    command: "hermes whatsapp link",
    reason: 'the config has `transport: "cloud"`, which needs no device',
    hint: 'Set `transport: "personal"` to use a number of your own.',
  });
}

/** Runs `work` with timers that do not keep the process alive: the library leaves some of half a minute behind. */
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
