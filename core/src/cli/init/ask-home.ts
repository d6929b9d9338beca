import { HermesError } from "../../base/errors.ts";
import { CONFIG } from "../../config/config.ts";
import type { Host } from "../../host/host.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { styled } from "../../terminal/styled.ts";
import { endGateways, runningGateways } from "../gateway/stop.ts";
import { runningService } from "../service/running-service.ts";
import { optionsInConfig } from "./ask-options.ts";
import type { CheckedAccount } from "./ask-platform.ts";
import { type Asking, cancelled } from "./asking.ts";
import type { DraftPlatform, Init } from "./draft.ts";
import { type FoundHome, HomeFinder } from "./find-home.ts";
import { WORD_LASTS_MS } from "./one-time-word.ts";

/** Settles the home channel by the private chat that sends the one-time word, unless a flag has named it. */
export async function askHome(init: Init, draft: DraftPlatform, account: CheckedAccount): Promise<DraftPlatform> {
  const { flags, asking } = init;
  const { platform } = draft.plugin;
  if (asking === null || flags.homes.has(platform)) return draft;
  const found = await look(init, asking, draft, account);
  if (found === null) {
    const before = draft.options.homeChannel ?? optionsInConfig(init, platform)?.homeChannel;
    if (before === undefined) {
      const { output } = asking;
      output.line("No home channel: sessions cannot be handed off there. `hermes init` looks for one later.");
    }
    return draft;
  }
  const homeChannel = found.name === "" ? found.chatId : { chatId: found.chatId, name: found.name };
  const { seen, person } = found;
  return { ...draft, options: { ...draft.options, homeChannel }, homePerson: { seen, person } };
}

async function look(
  init: Init,
  asking: Asking,
  { plugin, account: name }: DraftPlatform,
  { configured, examination }: CheckedAccount,
): Promise<FoundHome | null> {
  const { output } = asking;
  await using host = await hostFor(init, configured);
  for (;;) {
    try {
      await using finder = await opened(init, host, configured, plugin.title);
      return await listen(init, asking, finder, { title: plugin.title, name, link: examination.account?.link });
    } catch (error) {
      if (!(error instanceof HermesError) || error.code === "INIT_CANCELLED") throw error;
      output.line(output.colors.yellow(error.message));
      output.line(error.hint);
      if (error.code === "INIT_ACCOUNT_SERVED") {
        if (!(await isLetGo(init, asking, host, plugin.platform))) return null;
      } else if (!(await asking.yes("Try again?", true))) return null;
    }
  }
}

/** Stops the gateway that serves the platform, if the person wants that. One that is a service would be started again. */
async function isLetGo({ context, stopped }: Init, asking: Asking, host: Host, platform: string): Promise<boolean> {
  const { here } = await runningGateways(host);
  const serving = here.filter((one) => one.platforms.some((served) => served.platform === platform && !served.standby));
  if ((await runningService(context.io, serving)) !== null) {
    asking.output.line("It is a service of this machine: stop that first, and come back.");
    return false;
  }
  if (!(await asking.yes("Stop the gateway meanwhile? It is started again at the end.", true))) return false;
  stopped.push(...serving);
  await endGateways(host, serving);
  return true;
}

async function opened(init: Init, host: Host, configured: ConfiguredPlugin, title: string): Promise<HomeFinder> {
  using spinner = createSpinner(init.context.output, init.clock);
  spinner.spin(`connecting to ${title}`);
  return await HomeFinder.open(host, configured);
}

interface Whom {
  readonly title: string;
  /** The account, as people see it. */
  readonly name: string | null;
  readonly link: string | undefined;
}

/** Shows words until a chat that sent one is confirmed. Null when the person skips it. */
async function listen(
  init: Init,
  asking: Asking,
  finder: HomeFinder,
  { title, name, link }: Whom,
): Promise<FoundHome | null> {
  const { output } = asking;
  const { bold, cyan } = output.colors;
  output.line(
    "Your home channel is the private chat to which sessions are handed off, and in which you are known as you.",
  );
  for (;;) {
    const { word, found } = finder.expect();
    const to = name ?? `the account on ${title}`;
    output.line(styled`Write this word to ${bold(to)} in a private chat: ${bold(cyan(word))}`);
    if (link !== undefined) output.line(styled`  ${cyan(link)}`);
    output.line(
      `It works once, for ${WORD_LASTS_MS / 60_000} minutes. Meanwhile nobody gets an answer; messages from allowed people wait for the gateway.`,
    );
    const home = await firstOf(init, asking, finder, found);
    if (home === "skipped") return null;
    if (home === "late") {
      output.line("The word has expired. Here is another one.");
      continue;
    }
    const who = home.name === "" ? "somebody without a name" : home.name;
    output.line(styled`It came from ${bold(who)}, whose id is ${bold(home.person)}, in the chat ${bold(home.chatId)}.`);
    if (await asking.yes("Is that you?", false)) return home;
    output.line("Somebody else sent it, so that word no longer works.");
  }
}

/** Waits for the word, for its end, and for the person to skip it, whichever comes first. */
async function firstOf(
  { clock }: Init,
  asking: Asking,
  { failure }: HomeFinder,
  found: Promise<FoundHome>,
): Promise<FoundHome | "skipped" | "late"> {
  const over = new AbortController();
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  using _timer = clock.setTimer(WORD_LASTS_MS, () => resolve("late"), { keepsAlive: true });
  const asked = asking.until("Waiting for it (Enter alone skips this) …", over.signal);
  // Taken away, it answers nothing any more.
  const skipped = asked.then((text) => (text === null ? new Promise<never>(() => {}) : ("skipped" as const)));
  try {
    return await Promise.race([found, late, skipped, failure]);
  } finally {
    over.abort();
    await asked.catch(() => null);
  }
}

/** A process's parts with the answers as its config; opened for this alone, since it makes Hermes' home. */
async function hostFor(init: Init, configured: ConfiguredPlugin): Promise<Host> {
  const { context, config, draft, override, signal } = init;
  const { createHost } = await import("../../host/create-host.ts");
  if (signal.aborted) throw cancelled();
  const variables = { ...config.variables, ...Object.fromEntries(draft.variables) };
  return createHost({
    role: "terminal",
    environment: context.io.environment,
    workingDirectory: context.io.workingDirectory,
    override(container) {
      override(container);
      container.registerInstance(CONFIG, { ...config, plugins: [configured], brokenPlugins: [], variables });
    },
  });
}
