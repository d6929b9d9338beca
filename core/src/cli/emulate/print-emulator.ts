import type { ServedEmulator } from "../../emulator/serve-emulator.ts";
import type { Output } from "../output.ts";

/** Says where an emulator is, and what to put into the config to use it. Its tokens are its own, and open nothing else. */
export function printEmulator(output: Output, name: string, { emulator, consoleUrl }: ServedEmulator): void {
  const { platform, url, options, chats } = emulator;
  output.document({ platform, url, consoleUrl, package: name, options, chats });

  const { bold, dim } = output.colors;
  output.line(`${bold(platform)} runs on this machine: ${url}`);
  output.line(`Write there as a person: ${bold(consoleUrl)}`);
  output.line();
  output.line("In hermes.config.ts these options of the plugin use it:");
  for (const [key, value] of Object.entries(options)) output.line(`  ${keyOf(key)}: ${JSON.stringify(value)},`);
  output.line("In a config of JSON or YAML:");
  output.line(`  ${JSON.stringify([name, options])}`);
  output.line();
  output.line("Chats that can be the `homeChannel`:");
  for (const chat of chats) {
    const threads = chat.hasThreads ? ", with threads" : "";
    // Others read there, which the config has to say is meant.
    const home = chat.kind === "dm" ? JSON.stringify(chat.id) : `{ chatId: ${JSON.stringify(chat.id)}, shared: true }`;
    output.line(`  ${home}  ${chat.name} ${dim(`(${chat.label}${threads})`)}`);
  }
  output.line();
  output.line(`What can be made to fail: ${consoleUrl}failures, or at the foot of the page`);
  output.line(dim("Ctrl-C ends it; what was written there is forgotten then."));
}

function keyOf(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}
