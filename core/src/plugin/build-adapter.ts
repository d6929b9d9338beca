import type { DependencyContainer } from "tsyringe";
import { PlatformAdapter } from "../adapter/adapter.ts";
import { HermesError } from "../base/errors.ts";
import { REDACTOR } from "../base/redact.ts";
import { CLOCK, ID_SOURCE, LOGGER } from "../base/tokens.ts";
import {
  type AdapterSource,
  IDENTITIES,
  PLATFORM_COMMANDS,
  PLUGIN_FOLDER,
  PLUGIN_OPTIONS,
  PLUGIN_SCOPE,
  type PluginDeps,
  type PluginDescriptor,
} from "./descriptor.ts";

type AdapterClass = new (...args: unknown[]) => PlatformAdapter;
type AdapterFactory = (deps: PluginDeps) => PlatformAdapter | Promise<PlatformAdapter>;

/** Makes a plugin's adapter from its class or its function, with what `container` has for it. Throws PLUGIN_INVALID. */
export async function buildAdapter(
  source: AdapterSource,
  { package: name, platform }: PluginDescriptor,
  container: DependencyContainer,
  deps: PluginDeps,
): Promise<PlatformAdapter> {
  const invalid = (reason: string) => new HermesError("PLUGIN_INVALID", { package: name, reason });
  if (typeof source !== "function") throw invalid("it loads neither a class nor a function");

  const adapter: unknown = isClass(source)
    ? construct(source, container, deps, invalid)
    : await (source as AdapterFactory)(deps);
  if (!(adapter instanceof PlatformAdapter)) throw invalid("what it loads makes no PlatformAdapter");
  if (adapter.platform !== platform) throw invalid(`its adapter is for ${adapter.platform}, not for ${platform}`);
  return adapter;
}

function isClass(source: AdapterSource): source is AdapterClass {
  // The brand sits on the prototype, also on that of another copy of core; the text tells the other classes.
  const { prototype } = source as { prototype?: unknown };
  return prototype instanceof PlatformAdapter || /^class\b/.test(Function.prototype.toString.call(source));
}

/**
 * Reads the tokens from where `@inject` writes them, rather than asking the container for the class: that one knows
 * only classes that were decorated by its own copy of tsyringe, and a plugin may bring another.
 */
function construct(
  adapterClass: AdapterClass,
  container: DependencyContainer,
  deps: PluginDeps,
  invalid: (reason: string) => HermesError,
): PlatformAdapter {
  if (Reflect.getMetadata("injectionTokens", adapterClass) === undefined) {
    return new adapterClass(deps);
  }
  const written = Object(Reflect.getMetadata("injectionTokens", adapterClass)) as Record<string, unknown>;
  const positions = Object.keys(written).map(Number);
  const count = Math.max(adapterClass.length, ...positions.map((position) => position + 1));
  const args = Array.from({ length: count }, (_, position) => {
    const token = tokenIn(written[position]);
    if (token === undefined) throw invalid(`parameter ${position + 1} of its adapter's constructor names no token`);
    if (!container.isRegistered(token, true)) throw invalid(`nothing is registered for ${String(token)}`);
    return container.resolve<unknown>(token);
  });
  return new adapterClass(...args);
}

/** A token as it is, or in the form that newer versions of tsyringe wrap it in. */
function tokenIn(written: unknown): symbol | string | undefined {
  const token: unknown = typeof written === "object" && written !== null ? Reflect.get(written, "token") : written;
  return typeof token === "symbol" || typeof token === "string" ? token : undefined;
}

export function depsFrom(container: DependencyContainer): PluginDeps {
  return {
    options: container.resolve(PLUGIN_OPTIONS),
    clock: container.resolve(CLOCK),
    ids: container.resolve(ID_SOURCE),
    logger: container.resolve(LOGGER),
    scope: container.resolve(PLUGIN_SCOPE),
    folder: container.resolve(PLUGIN_FOLDER),
    redact: container.resolve(REDACTOR),
    commands: container.resolve(PLATFORM_COMMANDS),
    identities: container.resolve(IDENTITIES),
  };
}
