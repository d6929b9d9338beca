import { isFromVariable } from "./data.ts";

/** How a file is written. */
export interface Style {
  readonly quote: '"' | "'";
  readonly semicolon: ";" | "";
  readonly indentation: string;
  readonly lineEnd: "\n" | "\r\n";
  /** Names stand in quotes, and no comma behind the last member. */
  readonly isJson?: boolean;
}

/** More than that on a line, and the members of an object stand below each other. */
const WIDTH = 60;

export function styleOf(text: string): Style {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const [, indentation = "  "] = /^([ \t]+)[\w"'[{]/m.exec(text) ?? [];
  const statements = /^(?:import|const|export)\b.*$/gm;
  const hasSemicolons = [...text.matchAll(statements)].some(([line]) => line.trimEnd().endsWith(";"));
  return {
    quote: count(/'/g) > count(/"/g) ? "'" : '"',
    semicolon: hasSemicolons || count(/;\s*$/gm) > 0 ? ";" : "",
    indentation,
    lineEnd: text.includes("\r\n") ? "\r\n" : "\n",
  };
}

/** A value as code, with what comes from the environment as `process.env.NAME`. */
export function valueInCode(value: unknown, style: Style, indentation: string): string {
  if (isFromVariable(value)) {
    return /^[A-Za-z_$][\w$]*$/.test(value.variable)
      ? `process.env.${value.variable}`
      : `process.env[${textInCode(value.variable, style)}]`;
  }
  if (typeof value === "string") return textInCode(value, style);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const inner = indentation + style.indentation;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((one) => valueInCode(one, style, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => `${nameInCode(key, style)}: ${valueInCode(one, style, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{ ", " }"];
  if (members.length === 0) return isList ? "[]" : "{}";
  const line = `${open}${members.join(", ")}${close}`;
  // A list of lists, the plugins, grows.
  const isOnOneLine = line.length <= WIDTH && !line.includes("\n") && !(isList && value.some(Array.isArray));
  if (isOnOneLine) return line;
  const { lineEnd } = style;
  const lines = members.map((member) => `${inner}${member}`).join(`,${lineEnd}`);
  return `${open.trim()}${lineEnd}${lines}${style.isJson ? "" : ","}${lineEnd}${indentation}${close.trim()}`;
}

export function nameInCode(key: string, style: Style): string {
  if (style.isJson) return JSON.stringify(key);
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : textInCode(key, style);
}

function textInCode(text: string, { quote, isJson }: Style): string {
  const json = JSON.stringify(text);
  return isJson || quote === '"' || text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}
