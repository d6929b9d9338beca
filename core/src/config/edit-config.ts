import { basename, extname } from "node:path";

/** A value that comes from the environment: `${NAME}` in JSON and YAML, `process.env.NAME` in code. */
export interface FromVariable {
  readonly variable: string;
}

/** One change of a config. Values may have a {@link FromVariable} anywhere in them. */
export type ConfigEdit =
  /** Sets a top-level key, such as `model`; with `under` a key in the object of that one, such as `providers`. */
  | { readonly kind: "set"; readonly key: string; readonly value: unknown; readonly under?: string }
  /** Adds a plugin, or merges options into the one that is there, of the same package and account. */
  | {
      readonly kind: "plugin";
      readonly package: string;
      /** What its package exports for configs that are code, mostly the platform's name. */
      readonly exportName: string;
      readonly account?: string | undefined;
      readonly options: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "remove-plugin"; readonly package: string; readonly account?: string | undefined }
  /** Adds a rule to a list of `permissions`, or takes it out. */
  | { readonly kind: "rule"; readonly list: string; readonly rule: string }
  | { readonly kind: "remove-rule"; readonly list: string; readonly rule: string };

export type RuleEdit = Extract<ConfigEdit, { kind: "rule" | "remove-rule" }>;

export type SetEdit = Extract<ConfigEdit, { kind: "set" }>;

/** The top-level key that an edit sets where that is not there yet, and its value. */
export function outermost({ key, value, under }: SetEdit): { readonly key: string; readonly value: unknown } {
  return under === undefined ? { key, value } : { key: under, value: { [key]: value } };
}

export type PluginEdit = Extract<ConfigEdit, { kind: "plugin" }>;

export type ConfigForm = "ts" | "json" | "yaml";

/** The text of a config after an edit, or the lines for a person to paste. */
export type EditedConfig = { readonly text: string } | { readonly paste: string };

/** Thrown within, where a config cannot be edited without losing something; the reason is for nobody but a debugger. */
export class CannotEdit extends Error {}

/**
 * Returns the new text of a config: everything that the edits do not mean stays as it was written, comments included.
 * Where that cannot be had, the lines to paste. Writes nothing.
 */
export async function editConfig(
  file: { readonly path: string; readonly text: string },
  edits: readonly ConfigEdit[],
): Promise<EditedConfig> {
  const bom = file.text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = file.text.slice(bom.length);
  const { edit, paste } = await formOf(file.path);
  try {
    return { text: bom + edit(text, edits) };
  } catch {
    // Whatever a parser has against a file, too: a person can still paste.
    return { paste: paste(edits, text) };
  }
}

/** The text of a new config. */
export async function newConfig(form: ConfigForm, edits: readonly ConfigEdit[]): Promise<string> {
  const { edit, empty } = await formOf(`hermes.config.${form}`);
  return edit(empty, edits);
}

interface Form {
  /** A config without anything. */
  readonly empty: string;
  edit(text: string, edits: readonly ConfigEdit[]): string;
  paste(edits: readonly ConfigEdit[], text: string): string;
}

async function formOf(path: string): Promise<Form> {
  const ending = extname(path);
  if (ending === ".yaml" || ending === ".yml") return import("./edit/yaml.ts");
  if (ending !== ".json") return import("./edit/code.ts");
  const json = await import("./edit/json.ts");
  const at = basename(path) === "package.json" ? ["hermes"] : [];
  return { empty: json.empty, paste: json.paste, edit: (text, edits) => json.edit(text, edits, at) };
}
