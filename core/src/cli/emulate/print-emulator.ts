import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";
import type { EmulatedChat, RunningEmulator, ServedEmulator } from "./emulator-package.ts";

/** Says where an emulator is, and what to put into the config to use it. Its tokens are its own, and open nothing else. */
export function printEmulator(output: Output, name: string, { emulator, consoleUrl }: ServedEmulator): void {
  const { platform, url, options, chats, people } = emulator;
  const plugin = pluginEntry(name, emulator);
  output.document({ platform, url, consoleUrl, package: name, options, chats, people, plugin });

  const { bold, dim } = output.colors;
  output.line(styled`${bold(platform)} runs on this machine: ${url}`);
  output.line(styled`Write there as a person: ${bold(consoleUrl)}`);
  output.line();
  output.line("To use it, put this into the list `plugins` of hermes.config.ts or hermes.config.json, as it stands:");
  const [first = "", ...lines] = JSON.stringify(plugin[1], null, 2).split("\n");
  output.line(`  [${JSON.stringify(name)}, ${first}`);
  for (const line of lines) output.line(`  ${line}${line === "}" ? "]" : ""}`);
  output.line();
  output.line("Chats that can be the `homeChannel`:");
  for (const chat of chats) {
    const threads = chat.hasThreads ? ", with threads" : "";
    output.line(styled`  ${JSON.stringify(homeIn(chat))}  ${chat.name} ${dim(`(${chat.label}${threads})`)}`);
  }
  output.line("People, for `allowedUsers` and `operators`:");
  for (const person of people) output.line(`  ${JSON.stringify(person.id)}  ${person.name}`);
  output.line();
  output.line(`What can be made to fail: ${consoleUrl}failures, or at the foot of the page`);
  output.line(dim("Ctrl-C ends it; what was written there is forgotten then."));
}

/** An entry of the config's `plugins` that works as it stands: a private chat, where there is one, is the home. */
function pluginEntry(name: string, { options, chats, people }: RunningEmulator): [string, Record<string, unknown>] {
  const home = chats.find(({ kind, hasThreads }) => kind === "dm" && hasThreads) ?? chats.find(isPrivate) ?? chats[0];
  return [
    name,
    {
      ...options,
      ...(home === undefined ? {} : { homeChannel: homeIn(home) }),
      allowedUsers: people.slice(0, 1).map(({ id }) => id),
    },
  ];
}

function isPrivate({ kind }: EmulatedChat): boolean {
  return kind === "dm";
}

/** Where others read, the config has to say that they are meant to. */
function homeIn(chat: EmulatedChat): unknown {
  return isPrivate(chat) ? chat.id : { chatId: chat.id, shared: true };
}
