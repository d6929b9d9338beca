import { type Examination, Findings, type HomeChannel, type PluginSetupContext, shortName } from "@hermes/core";
import { completeSelf, type FoundAccount, findAccount, isOlder } from "./account.ts";
import type { SignalOptions } from "./config.ts";
import { blocked, toPlatformError, unregistered } from "./errors.ts";
import { writableGroup } from "./home.ts";
import { canonicalId, isGroupId, isNumber } from "./source.ts";

/** The first that repeats what was lost when a connection broke. */
const REPEATS = [0, 14, 9];

/** How long Signal may take to answer, in milliseconds: signal-cli may be offline. */
const PATIENCE_MS = 10_000;

const START_THE_DAEMON =
  "start `signal-cli daemon --http 127.0.0.1:8080 --receive-mode on-connection`, and name its address as `url`";

/** Asks the daemon, and Signal through it, about the account and the home channel. Nothing is sent or received. */
export async function examine(options: SignalOptions, context: PluginSetupContext): Promise<Examination> {
  const { clock, signal } = context;
  const found = new Findings();
  await during(found, async () => {
    const account = await findAccount(options, clock, signal);
    const { self, directory, version } = account;
    if (isOlder(version, REPEATS)) {
      const lost = `signal-cli ${version} does not repeat what is lost when its connection to Hermes breaks.`;
      found.warning(lost, "Update signal-cli to 0.14.9 or newer.");
    } else found.ok(`signal-cli ${version} answers at ${options.url}.`);
    // Signal answers nothing to an account that it does not know any more. What it says counts for little: one whose
    // number nobody may look up is not registered by it.
    if (self.number !== null) await directory.isRegistered(self.number, { signal, patienceMs: PATIENCE_MS });
    await completeSelf(self, directory, signal);
    noteAccount(found, account);
    const { homeChannel } = options;
    if (homeChannel !== undefined) await during(found, () => examineHome(found, account, homeChannel, options, signal));
  });
  return found.toExamination();
}

function noteAccount(found: Findings, { self }: FoundAccount): void {
  const { number, uuid } = self;
  const id = uuid ?? number;
  if (id === null) {
    found.ok("The daemon serves one account, and does not name it.");
    return;
  }
  const name = number ?? id;
  // Opens the chat with a number in Signal's apps.
  const link = number === null ? {} : { link: `https://signal.me/#p/${number}` };
  found.account = { id, name, ...link };
  found.ok(`The daemon serves ${name}.`);
}

async function examineHome(
  found: Findings,
  account: FoundAccount,
  home: HomeChannel,
  options: SignalOptions,
  signal: AbortSignal,
): Promise<void> {
  const { directory, self } = account;
  if (home.requireThread) {
    const hint = "Leave `requireThread` out: the session then lands in the chat itself.";
    found.problem("Signal has no threads, and the home channel requires one: no handoff can land.", hint);
  }
  const id = canonicalId(home.chatId);
  if (isGroupId(id)) {
    const { name, members } = await writableGroup(account, id);
    found.ok(`The home channel is the group "${shortName(name)}", and the account may write there.`);
    return examineReaders(found, members.filter((ids) => !self.isAny(...ids)).length, options);
  }
  if (self.isAny(id)) return found.ok("The home channel is the Note to Self of the account.");
  const known = await directory.person(id, { signal });
  if (known?.isBlocked) throw blocked(id);
  if (known?.isUnregistered) throw unregistered(id);
  if (known !== null) return found.ok(`${id} is on Signal, and the account has met them.`);
  if (!isNumber(id)) {
    const unknown = `Whether ${id} is on Signal shows with the first message: the account has not met them.`;
    return found.warning(unknown, "Write to Hermes once from that phone.");
  }
  if (!(await directory.isRegistered(id, { signal }))) throw unregistered(id);
  found.ok(`${id} is on Signal.`);
}

/** Who reads a group, and who of them is answered. */
function examineReaders(found: Findings, others: number, options: SignalOptions): void {
  const { homeChannel, allowedUsers, operators } = options;
  const readers = `${others} other ${others === 1 ? "member" : "members"}`;
  if (homeChannel?.shared) found.ok(`It has ${readers}, who read what is handed off there.`);
  else {
    const message = `The home channel is a group: its ${readers} would read each session that is handed off.`;
    found.problem(message, "If that is intended, set `shared: true` on it.");
  }
  if (allowedUsers.length > 0 || operators.length > 0) return;
  found.warning(
    "The config names nobody: nobody is answered in the group.",
    "Name people by their numbers or UUIDs in `allowedUsers` or `operators`.",
  );
}

/** Runs a part of the checks; what ends it becomes a problem. */
async function during(found: Findings, look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (thrown) {
    const error = toPlatformError(thrown);
    if (error.code !== "PLATFORM_UNAVAILABLE") return found.problem(error.message, error.hint);
    // What is wrong with a daemon, and what to do about it, stand in one sentence.
    const [what = "", todo = START_THE_DAEMON] = String(error.fields.reason).split(/; (.*)/s);
    found.problem(sentence(what), sentence(todo));
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
