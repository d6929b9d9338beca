import { z } from "zod";
import { HermesError, reasonOf } from "../base/errors.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import type { PluginDescriptor } from "../plugin/descriptor.ts";
import { platformOptions } from "../plugin/platform-options.ts";
import type { ToolsDescriptor } from "../plugin/tools-plugin.ts";
import { type Checked, type Issue, problemsFrom, unknownKey } from "./problem.ts";

const coreOptions = z.looseObject(platformOptions);

export interface CheckedOptions {
  /** Null when there are problems. */
  readonly options: ConfiguredPlugin["options"] | null;
  readonly problems: readonly HermesError[];
}

/** Checks the options of a plugin of tools by its own schema. */
export async function checkToolOptions(
  descriptor: ToolsDescriptor,
  place: Pick<Checked, "file" | "at" | "isUnset">,
): Promise<{ readonly options: unknown; readonly problems: readonly HermesError[] }> {
  const result = await validate(descriptor);
  if (!result.issues) return { options: result.value, problems: [] };
  const problems = problemsFrom(result.issues, { ...place, value: descriptor.options, keysAt: () => [] });
  return { options: null, problems };
}

/** Checks a plugin's options by the plugin's own schema and by what core wants of every platform. */
export async function checkOptions(
  descriptor: PluginDescriptor,
  place: Pick<Checked, "file" | "at" | "isUnset">,
): Promise<CheckedOptions> {
  const { schema, options } = descriptor;
  const known = keysOf(schema);
  const { file, at, isUnset } = place;
  const keysAt = (path: readonly unknown[]) => (path.length === 0 && known ? known : []);
  const checked: Checked = { file, at, isUnset, value: options, keysAt };
  const strangers = known ? Object.keys(Object(options)).filter((key) => !known.includes(key)) : [];
  const problems = strangers.map((key) => unknownKey(key, [], checked));

  const result = await validate(descriptor);
  if (result.issues) {
    return { options: null, problems: [...problems, ...problemsFrom(withoutUnknownKeys(result.issues), checked)] };
  }
  // A schema that leaves core's options out would drop who may do what.
  const own = coreOptions.safeParse({ ...pickCore(options), ...Object(result.value) });
  if (!own.success) return { options: null, problems: [...problems, ...problemsFrom(own.error.issues, checked)] };
  return { options: problems.length > 0 ? null : own.data, problems };
}

async function validate({ schema, options, package: name }: PluginDescriptor | ToolsDescriptor) {
  try {
    return await schema["~standard"].validate(options);
  } catch (error) {
    const reason = `its schema failed: ${reasonOf(error)}`;
    throw new HermesError("PLUGIN_INVALID", { package: name, reason }, { cause: error });
  }
}

/** They are told once, by this file. */
function withoutUnknownKeys(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter((issue) => issue.code !== "unrecognized_keys" || (issue.path ?? []).length > 0);
}

/** The keys that a schema knows, where it says so (zod's objects do) and takes no others. */
function keysOf(schema: unknown): readonly string[] | null {
  const { shape, def } = schema as { shape?: unknown; def?: { catchall?: { def?: { type?: unknown } } } };
  if (typeof shape !== "object" || shape === null) return null;
  const catchall = def?.catchall;
  if (catchall !== undefined && catchall.def?.type !== "never") return null;
  return [...new Set([...Object.keys(shape), ...Object.keys(platformOptions)])];
}

function pickCore(options: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(options)).filter(([key]) => key in platformOptions));
}
