import { fileURLToPath } from "node:url";
import { reasonOf } from "../base/errors.ts";

export interface Fault {
  /** The file, with line and column as far as they are known: `path:2:11`. */
  readonly file: string;
  readonly reason: string;
}

/** Lines and columns count from 1. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** The column that a place of the code that ran has in the file as it is written; null where nobody knows. */
export type ColumnAsWritten = (position: SourcePosition) => number | null;

/**
 * Where a config file is at fault, and why. Never quotes the file: what stands around a fault may be a token.
 * `columnOf` is for code that was compiled before it ran.
 */
export function placeOfFault(thrown: unknown, file: string, columnOf: ColumnAsWritten = ({ column }) => column): Fault {
  const fault = thrown instanceof Error ? thrown : new Error(String(thrown));
  return faultInYaml(fault, file) ?? faultInJson(fault, file) ?? faultInCode(fault, file, columnOf);
}

function faultInYaml(fault: Error, file: string) {
  const { mark, reason } = fault as { mark?: { line?: unknown; column?: unknown }; reason?: unknown };
  if (typeof reason !== "string" || typeof mark?.line !== "number" || typeof mark.column !== "number") return null;
  return { file: `${file}:${mark.line + 1}:${mark.column + 1}`, reason };
}

function faultInJson(fault: Error, file: string) {
  if (fault.name !== "JSONError") return null;
  // What follows these words is quoted from the file.
  const [, reason = "it is no JSON"] =
    /^([A-Z][^\n]*?)(?:, (?:\.{3})?"| in JSON at | while parsing)/m.exec(fault.message) ?? [];
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(fault.message) ?? [];
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return { file: place, reason };
}

function faultInCode(fault: Error, file: string, columnOf: ColumnAsWritten): Fault {
  const [message = "", ...rest] = fault.message.split("\n");
  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1];
  const reason = missing === undefined ? reasonOf(message) : `it imports ${missing}, which is not installed there`;
  // A compiler names the place below its message, and counts columns from 0; a running program names it in its stack.
  const isCompilers = message.startsWith("ParseError:");
  const lines = isCompilers ? rest : (fault.stack ?? "").split("\n");
  const places = lines.flatMap((line) => placeIn(line) ?? []);
  const column = ({ path, line, column: found }: PositionInStack): number | null => {
    if (found === null) return null;
    return isCompilers ? found + 1 : columnOf({ path, line, column: found });
  };
  const text = (place: PositionInStack) => [place.path, place.line, column(place) ?? []].flat().join(":");

  const inFile = places.find(({ path }) => path === file);
  if (inFile) return { file: text(inFile), reason };
  const first = places.find(({ path }) => !/node:|node_modules/.test(path));
  return { file, reason: first ? `${reason} (at ${text(first)})` : reason };
}

type PositionInStack = Omit<SourcePosition, "column"> & { readonly column: number | null };

/** `path:line:column` or `path:line` somewhere in a line of a stack. */
function placeIn(text: string): PositionInStack | null {
  const [, path, line, column] =
    /(?:^|[\s(])((?:file:\/\/)?\/[^:()]+|[A-Za-z]:\\[^:()]+):(\d+)(?::(\d+))?\)?$/.exec(text.trim()) ?? [];
  if (path === undefined) return null;
  return {
    path: path.startsWith("file://") ? fileURLToPath(path) : path,
    line: Number(line),
    column: column === undefined ? null : Number(column),
  };
}
