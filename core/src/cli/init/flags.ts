import { HermesError } from "../../base/errors.ts";
import type { ConfigForm } from "../../config/edit-config.ts";

/** The flags as commander gives them. */
export interface GivenFlags {
  readonly yes?: boolean;
  readonly folder?: string;
  readonly model?: string;
  readonly platform?: readonly string[];
  readonly set?: readonly string[];
  readonly home?: readonly string[];
  readonly sharedHome?: readonly string[];
  readonly allow?: readonly string[];
  readonly format?: string;
  readonly gateway: boolean;
}

/** The answers that were given by flags. */
export interface Flags {
  /** Asks nothing: what no flag says has its default, or is left out. */
  readonly yes: boolean;
  readonly folder: string | null;
  /** `<provider>/<model>`; `none` for a set-up without one. */
  readonly model: string | null;
  readonly platforms: readonly { readonly platform: string; readonly way: string | null }[];
  /** Options by platform. */
  readonly options: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Chat ids by platform. */
  readonly homes: ReadonlyMap<string, string>;
  /** Platforms in whose home channel others may read what is handed off. */
  readonly sharedHomes: readonly string[];
  /** Ids of people by platform, `*` for everybody; those without a platform under an empty name. */
  readonly allowed: ReadonlyMap<string, readonly string[]>;
  readonly format: ConfigForm;
  readonly gateway: boolean;
}

const FORMATS: readonly ConfigForm[] = ["ts", "json", "yaml"];

/** Reads the flags. Throws USAGE for one that cannot be understood. */
export function readFlags(given: GivenFlags): Flags {
  const { format = "ts", set = [], home = [], sharedHome = [], allow = [], platform = [] } = given;
  if (!isFormat(format)) throw initUsage(`--format is ${FORMATS.join(", ")}, not ${format}`);
  const options = new Map<string, Record<string, string>>();
  for (const text of set) {
    const [, name = "", option = "", value = ""] =
      /^([a-z][\w-]*)\.([A-Za-z]\w*)=(.*)$/s.exec(text) ??
      refuse(`--set takes <platform>.<option>=<value>, not ${text}`);
    options.set(name, { ...options.get(name), [option]: value });
  }
  const homes = home.map((text) => {
    const [, name = "", chat = ""] =
      /^([^=]+)=(.+)$/s.exec(text) ?? refuse(`--home takes <platform>=<chat>, not ${text}`);
    return [name, chat] as const;
  });
  const allowed = new Map<string, readonly string[]>();
  for (const text of allow) {
    const [, name = "", id = text] = /^([a-z][a-z0-9-]*)=(.+)$/s.exec(text) ?? [];
    allowed.set(name, [...(allowed.get(name) ?? []), id]);
  }
  const named = platform.map((text) => {
    const [name = "", way = null] = text.split(":");
    return { platform: name.toLowerCase(), way };
  });
  // Without questions, set up each platform that a flag names.
  const meant = given.yes ? [...options.keys(), ...homes.map(([name]) => name), ...sharedHome, ...allowed.keys()] : [];
  const others = meant.filter((name) => name !== "" && named.every((one) => one.platform !== name));
  return {
    yes: given.yes ?? false,
    folder: given.folder ?? null,
    model: given.model ?? null,
    platforms: [...named, ...[...new Set(others)].map((name) => ({ platform: name, way: null }))],
    options,
    homes: new Map(homes),
    sharedHomes: sharedHome,
    allowed,
    format,
    gateway: given.gateway,
  };
}

export function initUsage(reason: string): HermesError {
  return new HermesError("USAGE", { reason, command: "hermes init" });
}

function refuse(reason: string): never {
  throw initUsage(reason);
}

function isFormat(text: string): text is ConfigForm {
  return FORMATS.some((format) => format === text);
}
