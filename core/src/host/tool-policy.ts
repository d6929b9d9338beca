import { existsSync, statSync } from "node:fs";
import { type Conversation, chatOf } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Tool } from "../agent/agent.ts";
import { asHermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Redactor } from "../base/redact.ts";
import type { LoadedConfig } from "../config/config.ts";
import { type ConfigRequest, findConfig } from "../config/find-config.ts";
import { loadConfig } from "../config/load-config.ts";
import { isChanged } from "../model/home-notice.ts";
import { EVERY_SESSION, type Session, type Visibility } from "../model/session.ts";
import type { Turn, TurnAuthor } from "../model/turn.ts";
import { isWithin } from "../permissions/files.ts";
import type { PermissionContext } from "../permissions/judge.ts";
import { NO_RULES, type PermissionRules, type PlacedRule, RULE_KINDS, type RuleKind } from "../permissions/rule.ts";
import { currentRights } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";
import type { ToolPolicy } from "../turn/tool-policy.ts";

export interface ConfigToolPolicyOptions {
  readonly home: string;
  readonly config: LoadedConfig;
  /** `--config`, where it was given. */
  readonly configPath?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly tools: () => Promise<readonly Tool[]>;
  readonly store: Store;
  readonly logger: Logger;
  /** Redacts what is stored. */
  readonly redact: Redactor;
}

/**
 * Judges by the trusted config of the session's directory, read anew, whatever process runs the turn. What the config of
 * this process denies or asks about holds besides; what it allows does not.
 */
export class ConfigToolPolicy implements ToolPolicy {
  readonly #options: ConfigToolPolicyOptions;
  readonly #read = new Map<string, { readonly changedAt: number; readonly rules: PermissionRules }>();
  /** What was written into the config of this process since it was read. */
  readonly #added: PlacedRule[] = [];

  /** Configs of which it was said that they cannot be read. */
  readonly #unreadable = new Set<string>();

  constructor(options: ConfigToolPolicyOptions) {
    this.#options = options;
    const { path, permissions } = options.config;
    const changedAt = path === null ? null : changeOf(path);
    if (path !== null && changedAt !== null) this.#read.set(path, { changedAt, rules: permissions });
  }

  get answerWithinMs(): number | null {
    const { answerWithinHours } = this.#options.config.tools;
    return answerWithinHours === null ? null : answerWithinHours * 60 * 60_000;
  }

  async toolsOf(session: Session): Promise<readonly Tool[]> {
    const hasDirectory = this.directoryOf(session) !== null;
    return (await this.#options.tools()).filter(({ needsDirectory = false }) => hasDirectory || !needsDirectory);
  }

  directoryOf({ origin, workingDirectory }: Session): string | null {
    return origin === "terminal" ? workingDirectory : this.#options.config.tools.directory;
  }

  async contextOf(session: Session, turn: Pick<Turn, "surface" | "author">): Promise<PermissionContext> {
    const { home, redact } = this.#options;
    const directory = this.directoryOf(session);
    return {
      ...{ rules: asRules(await this.rulesOf(session)), mode: session.mode, directory, home },
      shared: (await this.visibilityOf(turn)).kind !== "all",
      isOperator: true,
      redact,
    };
  }

  /** Only operators use tools, and they see everything but where others read. */
  async visibilityOf({ surface, author }: Pick<Turn, "surface" | "author">): Promise<Visibility> {
    if (surface === "terminal") return EVERY_SESSION;
    const { store } = this.#options;
    const conversation = (await store.bindings.get(surface))?.conversation;
    // A handoff may have brought an operator's turn to somebody else's private chat.
    if (conversation?.kind === "dm" && (await isOperatorsOwn(store, conversation, author))) return EVERY_SESSION;
    // A place that nothing is known of may be read by anybody.
    return { kind: "of-chat", chat: conversation ? buildSessionKey(chatOf(conversation)) : surface, here: surface };
  }

  async refusalOf(session: Session, { author }: Turn): Promise<string | null> {
    const directory = this.directoryOf(session);
    if (directory !== null && !existsSync(directory)) return `the folder ${directory} is not on this machine`;
    const ruling = (await currentRights(this.#options.store, author)).mayDo("tool");
    return ruling.ok ? null : ruling.reason;
  }

  async rulesOf(session: Session): Promise<readonly PlacedRule[]> {
    const { config, environment, configPath } = this.#options;
    const { path, folder, permissions } = config;
    const directory = this.directoryOf(session);
    const from = { environment, configPath, workingDirectory: folder };
    const now = placed(path === null ? permissions : await this.#rulesIn(path, from), path);
    const isThere = (added: PlacedRule) => now.some(({ kind, rule }) => kind === added.kind && rule === added.rule);
    const own = [...now, ...this.#added.filter((added) => !isThere(added))];
    const found = directory === null ? "own" : this.#configOf(directory);
    if (directory === null || found === "own") return own;
    const { HERMES_CONFIG: _, ...others } = environment;
    const there = { environment: others, workingDirectory: directory };
    const rules = found === null ? NO_RULES : await this.#rulesIn(found, there);
    return [...own.filter(({ kind }) => kind !== "allow"), ...placed(rules, found)];
  }

  isOwnConfig(session: Session): boolean {
    const directory = this.directoryOf(session);
    return directory === null || this.#configOf(directory) === "own";
  }

  addAllowed(rules: readonly string[]): void {
    for (const rule of rules) this.#added.push({ kind: "allow", rule, from: this.#options.config.path });
  }

  /** The config that speaks for a directory; `own` if it is the one of this process. */
  #configOf(directory: string): string | "own" | null {
    const { config, home } = this.#options;
    const isNamed =
      directory === config.tools.directory ||
      // A config that is in no file is that of an embedding program, and speaks for its folder.
      (config.path === null ? directory === config.folder : isWithin(config.folder, directory));
    if (isNamed) return "own";
    const { file } = findConfig({ environment: {}, workingDirectory: directory, home });
    return file === config.path && file !== null ? "own" : file;
  }

  /** The rules of a config that is found by `request`; read anew where the file changed. */
  async #rulesIn(file: string, request: Omit<ConfigRequest, "home">): Promise<PermissionRules> {
    const { home, logger, tools } = this.#options;
    const changedAt = changeOf(file);
    const known = this.#read.get(file);
    if (known !== undefined && (changedAt === null || known.changedAt === changedAt)) return known.rules;
    try {
      const { path, permissions: rules } = await loadConfig({ ...request, home });
      if (path !== file) return known?.rules ?? NO_RULES;
      this.#read.set(file, { changedAt: changedAt ?? 0, rules });
      this.#unreadable.delete(file);
      return rules;
    } catch (error) {
      if (!this.#unreadable.has(file))
        logger.warn({ file, error: asHermesError(error) }, "the rules of a folder cannot be read anew");
      this.#unreadable.add(file);
      // They may forbid anything: what was read before holds on, or else everything is asked.
      return known?.rules ?? { ...NO_RULES, ask: (await tools()).map(({ name }) => name) };
    }
  }
}

/** When a file changed last, in milliseconds since 1970; null where it is gone. */
function changeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function placed(rules: PermissionRules, from: string | null): PlacedRule[] {
  return RULE_KINDS.flatMap((kind) => rules[kind].map((rule) => ({ kind, rule, from })));
}

function asRules(rules: readonly PlacedRule[]): PermissionRules {
  const of = (wanted: RuleKind) => rules.filter(({ kind }) => kind === wanted).map(({ rule }) => rule);
  return { allow: of("allow"), ask: of("ask"), deny: of("deny") };
}

/**
 * Whether nobody but operators reads a private chat: it is where the author wrote, the home channel, or an operator's, and
 * nobody else has come into it.
 */
async function isOperatorsOwn(store: Store, at: Conversation, author: TurnAuthor | null): Promise<boolean> {
  const chat = buildSessionKey(chatOf(at));
  const { platform, account } = at;
  const isHome = (await store.grants.current({ platform, account }))?.home?.chat === chat;
  if (isHome) return !(await haveOthersCome(store, chat));
  const { person = null, shared = false } = (await store.places.get(chat)) ?? {};
  if (shared) return false;
  const isThere = author !== null && author !== "terminal" && buildSessionKey(chatOf(author.conversation)) === chat;
  if (isThere) return true;
  return person !== null && (await currentRights(store, person.author)).mayDo("operators-command").ok;
}

/** Whether others than its operator are in a home channel, as the gateway saw it last. */
async function haveOthersCome(store: Store, chat: SessionKey): Promise<boolean> {
  return (await store.homePeople.list()).some(
    (home) => home.chat === chat && (isChanged(home) || home.present.length > 1),
  );
}
