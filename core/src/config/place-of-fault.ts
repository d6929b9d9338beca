import { fileURLToPath } from "node:url";
import { reasonOf } from "../base/errors.ts";

/** Where a config file is at fault, and why. Never quotes the file: what stands around a fault may be a token. */
export function placeOfFault(thrown: unknown, file: string): { readonly file: string; readonly reason: string } {
  const fault = thrown instanceof Error ? thrown : new Error(String(thrown));
  return faultInYaml(fault, file) ?? faultInJson(fault, file) ?? faultInCode(fault, file);
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

function faultInCode(fault: Error, file: string) {
  const [message = "", ...rest] = fault.message.split("\n");
  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(message)?.[1];
  const reason = missing === undefined ? reasonOf(message) : `it imports ${missing}, which is not installed there`;
  // A compiler names the place in its message, or in the first line of the stack; a running program in its stack.
  const places = [...rest, ...(fault.stack ?? "").split("\n")].map(placeIn);
  const inFile = places.find((place) => place?.startsWith(`${file}:`));
  const first = places.find((place) => place !== null && !/node:|node_modules/.test(place));
  return { file: inFile ?? file, reason: inFile || !first ? reason : `${reason} (at ${first})` };
}

/** `path:line:column` or `path:line` somewhere in a line of a stack. */
function placeIn(line: string): string | null {
  const [, path, position] =
    /(?:^|[\s(])((?:file:\/\/)?\/[^:()]+|[A-Za-z]:\\[^:()]+)((?::\d+){1,2})\)?$/.exec(line.trim()) ?? [];
  if (path === undefined || position === undefined) return null;
  return (path.startsWith("file://") ? fileURLToPath(path) : path) + position;
}
