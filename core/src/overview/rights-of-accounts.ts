import { accountName, type IdentityScope } from "../model/identity.ts";
import type { IdentityKey } from "../model/person.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import type { Store } from "../store/store.ts";
import type { KnownRight } from "./people.ts";

/** Whom the config, the home channel and passes of one platform account allow something. */
export interface AccountRights {
  readonly scope: IdentityScope;
  readonly of: readonly RightsOfIdentity[];
  /** The right of everybody there; null where not everybody has one. */
  readonly everybody: KnownRight | null;
  /** What is to be known of where this was read; null where a gateway says it. */
  readonly note: string | null;
}

interface RightsOfIdentity {
  readonly identity: IdentityKey;
  /** Whether they are the operator in the private home channel. */
  readonly isHome: boolean;
  readonly rights: readonly KnownRight[];
}

interface Config {
  readonly path: string | null;
  readonly plugins: readonly ConfiguredPlugin[];
}

const LISTS = [
  ["operators", "operator"],
  ["allowedUsers", "member"],
  ["allowedBots", "member"],
] as const;

/** The rights on each account that a gateway serves, as it publishes them, else as this terminal's config has them. */
export async function rightsOfAccounts(store: Store, config: Config): Promise<AccountRights[]> {
  const gateways = await store.gateways.alive();
  const served = gateways.flatMap(({ platforms }) => platforms.filter(({ standby }) => !standby));
  const scopes = [
    ...config.plugins.map(({ descriptor, options }) => ({ platform: descriptor.platform, account: options.account })),
    ...served.map(({ platform, account }) => ({ platform, account })),
  ];
  const each = new Map(scopes.map((scope) => [accountName(scope), scope]));
  return Promise.all([...each.values()].map((scope) => rightsOf(store, config, scope)));
}

async function rightsOf(store: Store, config: Config, scope: IdentityScope): Promise<AccountRights> {
  const account = accountName(scope);
  const isHere = (one: IdentityScope) => one.platform === scope.platform && one.account === scope.account;
  const configured = config.plugins.find(({ descriptor, options }) =>
    isHere({ platform: descriptor.platform, account: options.account }),
  );
  const published = await store.grants.current(scope);
  const lists = published ?? configured?.options;
  const gateway = (await store.gateways.alive()).find(({ platforms }) =>
    platforms.some(({ standby, platform, account: of }) => !standby && isHere({ platform, account: of })),
  );
  const file = published === null ? config.path : (gateway?.configPath ?? config.path);
  const plugin = file === config.path ? configured?.key : undefined;

  const found = new Map<string, { identity: IdentityKey; isHome: boolean; rights: KnownRight[] }>();
  const entryOf = (key: string) => {
    const entry = found.get(key) ?? { identity: { ...scope, key }, isHome: false, rights: [] };
    found.set(key, entry);
    return entry;
  };
  let everybody: KnownRight | null = null;
  for (const [list, grants] of LISTS) {
    for (const id of lists?.[list] ?? []) {
      const key = plugin === undefined ? list : `${plugin}.${list}`;
      const words = `${plugin === undefined ? list : `${plugin} ${list}`} in ${file ?? "the config"}`;
      const takenBackBy = `Take ${JSON.stringify(id)} out of ${words}, then restart the gateway.`;
      const right: KnownRight = { grants, on: account, from: "config", file, key, words, takenBackBy };
      if (id === "*" && list === "allowedUsers") everybody = right;
      else await addOf(id, right);
    }
  }
  async function addOf(id: string, right: KnownRight): Promise<void> {
    const holder = await store.identities.holder(scope, id);
    // A number that passed on grants nothing to who has it now.
    const isTheirs = holder === null || holder.grants.includes(id);
    entryOf(isTheirs ? (holder?.key ?? id) : id).rights.push(
      isTheirs ? right : { ...right, words: `${right.words}, which grants nothing: ${id} is somebody else's by now` },
    );
  }
  for (const { home, name, person } of await homesOf(store, scope, configured)) {
    const words = `the private home channel ${name ?? home}`;
    const takenBackBy = `\`hermes home operator ${account} <id>\` records somebody else there.`;
    const right = { grants: "operator", on: account, from: "home", file: null, key: null, words, takenBackBy } as const;
    const entry = entryOf(person);
    entry.isHome = true;
    entry.rights.push(right);
  }
  for (const { number, who, state, person, sessionId } of await store.codes.list("pass")) {
    // A pass for somebody grants them nothing: it only leads a chat of theirs to the session.
    if (state !== "taken" || person !== null || who === null || !isHere(who)) continue;
    const title = (sessionId && (await store.sessions.get(sessionId))?.title) ?? sessionId ?? "a session";
    const words = `pass ${number} to “${title}”`;
    const takenBackBy = `\`hermes passes revoke ${number}\` ends it.`;
    entryOf(who.key).rights.push({
      ...{ grants: "guest", on: account, from: "pass", file: null, key: null, words, takenBackBy },
    });
  }
  const note =
    published !== null || configured === undefined
      ? null
      : `No gateway serves ${account} at the moment: what is said of it is what ${file ?? "the config here"} has.`;
  return { scope, of: [...found.values()], everybody, note };
}

/** The private home channel of an account with its operator, where there is one. */
async function homesOf(store: Store, { platform, account }: IdentityScope, configured: ConfiguredPlugin | undefined) {
  const chosen = configured?.options.homeChannel ?? (await store.bindings.home(platform, account));
  const homes = (await store.homePeople.list()).filter(
    (one) => one.platform === platform && one.account === account && one.isPrivate,
  );
  return homes.flatMap(({ home, name, person }) =>
    person !== null && (chosen === null || chosen?.chatId === home) ? [{ home, name, person }] : [],
  );
}
