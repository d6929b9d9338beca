import { type Clock, type PluginDeps, z } from "@hermes/core";
import type { SignalOptions } from "./config.ts";
import { DaemonClient } from "./daemon-client.ts";
import { Directory } from "./directory.ts";
import { notTheDaemon, RpcRefusal, unavailable } from "./errors.ts";
import { NumbersOfPeople } from "./numbers-of-people.ts";
import { OwnNotes } from "./own-notes.ts";
import { Problems } from "./problems.ts";
import { canonicalId, isNumber, isUuid } from "./source.ts";

/** The first that knows styles (and edits, one before it): an older one would send each edit as a new message. */
const OLDEST = [0, 11, 11];

/** A start does not wait for an answer of Signal for longer, in milliseconds: signal-cli may be offline. */
const PATIENCE_MS = 10_000;

const METHOD_NOT_FOUND = -32601;

const versionAnswer = z.object({ version: z.string() });
const accountsAnswer = z.array(z.object({ number: z.string().nullish(), aci: z.string().nullish() }));

type Served = z.output<typeof accountsAnswer>[number];

/** The account of signal-cli that Hermes writes as, with all that is needed to work with it. */
export interface Account extends PluginDeps<SignalOptions> {
  readonly client: DaemonClient;
  readonly directory: Directory;
  readonly self: SelfAddress;
  readonly numbers: NumbersOfPeople;
  readonly ownNotes: OwnNotes;
  readonly problems: Problems;
  /** The version of signal-cli. */
  readonly version: string;
}

/** The ids of the account that Hermes writes as: its number and its service id, as far as they are known. */
export class SelfAddress {
  readonly #ids = new Set<string>();

  get uuid(): string | null {
    return [...this.#ids].find(isUuid) ?? null;
  }

  get number(): string | null {
    return [...this.#ids].find((id) => !isUuid(id)) ?? null;
  }

  /** Nothing is known yet: a daemon that was started for one account does not name it before the first event. */
  get isUnknown(): boolean {
    return this.#ids.size === 0;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** Whether any of these ids, in canonical form, is one of the account. */
  isAny(...ids: readonly (string | null | undefined)[]): boolean {
    return ids.some((id) => id != null && this.#ids.has(id));
  }
}

/** The account that Hermes writes as, before anything was learnt of people. */
export type FoundAccount = Pick<Account, "client" | "directory" | "self" | "version">;

/** Opens the account with all that an adapter needs to work with it. Throws as {@link findAccount} does. */
export async function openAccount(deps: PluginDeps<SignalOptions>, signal: AbortSignal): Promise<Account> {
  const { options, clock, folder } = deps;
  const found = await findAccount(options, clock, signal);
  await completeSelf(found.self, found.directory, signal);
  const numbers = new NumbersOfPeople({ ...deps, directory: found.directory });
  await numbers.learn(namedNumbers(options), signal);
  return { ...deps, ...found, numbers, ownNotes: new OwnNotes(folder), problems: new Problems() };
}

/**
 * Finds out what answers at the address, and which account Hermes writes as. Several programs are called "the Signal
 * API"; whichever answers, the error says what is needed.
 */
export async function findAccount(
  options: Pick<SignalOptions, "url" | "account">,
  clock: Clock,
  signal: AbortSignal,
): Promise<FoundAccount> {
  const client = new DaemonClient(options.url, clock);
  const version = await probe(client, signal);
  const served = await accountsOf(client, signal);
  // One that was started for a single account (`-a`) does not list it.
  const account = served === null ? { number: options.account ?? null } : choose(served, options.account);
  if (served !== null) {
    client.account = account.number ?? account.aci ?? undefined;
    client.isOneOfSeveral = served.length > 1;
  }
  const self = new SelfAddress();
  for (const id of [account.number, account.aci]) if (id) self.add(canonicalId(id));
  return { client, directory: new Directory(client), self, version };
}

/** The people whom the config names by number. */
function namedNumbers({ allowedUsers, operators, homeChannel }: SignalOptions): string[] {
  const home = homeChannel === undefined ? [] : [homeChannel.chatId];
  return [...new Set([...allowedUsers, ...operators, ...home])].filter(isNumber);
}

/** An account that is known by its number has a service id, too. Where that cannot be had yet, it shows later. */
export async function completeSelf(self: SelfAddress, directory: Directory, signal: AbortSignal): Promise<void> {
  if (self.uuid !== null || self.number === null) return;
  const uuid = await directory.uuidOf(self.number, { signal, patienceMs: PATIENCE_MS }).catch(() => null);
  if (uuid !== null) self.add(uuid);
}

async function probe(client: DaemonClient, signal: AbortSignal): Promise<string> {
  const check = await client.get("/api/v1/check", { signal });
  if (check.status >= 500) throw unavailable(`its daemon answered ${check.status}`);
  if (check.status !== 200) throw notTheDaemon(client.url, await nameOf(client, check.status, signal));
  const answer = versionAnswer.safeParse(await client.call("version", {}, { signal }));
  if (!answer.success) throw notTheDaemon(client.url, "a server that does not tell its version");
  const { version } = answer.data;
  if (isOlder(version, OLDEST)) throw notTheDaemon(client.url, `signal-cli ${version}, which is too old`);
  return version;
}

/** Whether a version of signal-cli is older than another, such as `[0, 14, 9]`. */
export function isOlder(version: string, than: readonly number[]): boolean {
  const numbers = version.split(/\D+/).map(Number);
  const at = than.findIndex((number, index) => number !== (numbers[index] ?? 0));
  return at >= 0 && (numbers[at] ?? 0) < (than[at] ?? 0);
}

/** signal-cli-rest-api, the best-known wrapper, describes itself at /v1/about. */
async function nameOf(client: DaemonClient, status: number, signal: AbortSignal): Promise<string> {
  const about = await client.get("/v1/about", { signal });
  const isWrapper = about.status === 200 && about.text.includes('"versions"');
  return isWrapper ? "signal-cli-rest-api, which speaks another protocol" : `no signal-cli (it answered ${status})`;
}

async function accountsOf(client: DaemonClient, signal: AbortSignal): Promise<readonly Served[] | null> {
  try {
    return accountsAnswer.catch([]).parse(await client.call("listAccounts", {}, { signal }));
  } catch (error) {
    if (error instanceof RpcRefusal && error.code === METHOD_NOT_FOUND) return null;
    throw error;
  }
}

function choose(served: readonly Served[], wanted: string | undefined): Served {
  const names = served.map(({ number, aci }) => number ?? aci ?? "?").join(", ");
  const [first, ...more] = served;
  if (first === undefined) {
    throw unavailable("its daemon serves no account yet; link one with `signal-cli link`, or register one");
  }
  if (wanted === undefined) {
    if (more.length === 0) return first;
    throw unavailable(`its daemon serves several accounts (${names}); name one of them as \`account\``);
  }
  const found = served.find(({ number, aci }) => [number, aci].some((id) => id && canonicalId(id) === wanted));
  if (found === undefined)
    throw unavailable(
      `its daemon does not serve the account ${wanted}; name one as \`account\` that it serves: ${names}`,
    );
  return found;
}
