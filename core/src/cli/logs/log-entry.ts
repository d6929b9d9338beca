import { shorten } from "../../base/shorten.ts";
import type { Output } from "../../terminal/output.ts";
import { Styled, styled } from "../../terminal/styled.ts";

export interface LogEntry {
  /** One JSON document. */
  readonly line: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** In milliseconds since 1970; null where it is not known. */
  readonly at: number | null;
}

/** Parses a line of the log. One that cannot be parsed, such as one that a full disk cut off, counts as a message. */
export function readEntry(line: string): LogEntry {
  const fields = objectIn(line);
  if (fields === null) return { line: JSON.stringify({ msg: line }), fields: { msg: line }, at: null };
  const at = Date.parse(String(fields.time));
  return { line, fields, at: Number.isNaN(at) ? null : at };
}

function objectIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** An entry for people: when, how bad, whose, what; then what else is known, and the errors that led to it. */
export function printEntry(output: Output, { fields, at }: LogEntry): void {
  const { dim, red, yellow, bold } = output.colors;
  const { time: _time, pid, level = "", msg = "", role, platform, plugin, error, ...others } = fields;
  const paint = { error: red, warn: yellow, debug: dim }[String(level)] ?? ((text: string) => Styled.from(text));
  const who = String(platform ?? plugin ?? role ?? "");
  const more = Object.entries(others).map(([name, value]) => ` ${name}=${shortText(value)}`);
  output.line(
    styled`${dim(at === null ? "" : localTime(at))} ${paint(String(level).padEnd(5))} ${bold(who)}${who && " "}${oneLine(msg)}${dim(more.join(""))}`,
  );
  for (const cause of causesOf(error)) output.line(styled`    ${paint(oneLine(cause))}`);
  if (level === "error" && pid !== undefined && error !== undefined) {
    const stack = Object(error).stack;
    if (typeof stack === "string") for (const frame of framesOf(stack)) output.line(dim(`      ${frame}`));
  }
}

/** The messages of an error and of what led to it. */
function causesOf(error: unknown): string[] {
  if (error === undefined || error === null) return [];
  if (typeof error !== "object") return [String(error)];
  const { code, message, cause } = error as Readonly<Record<string, unknown>>;
  const text = [code, message].filter((part) => part !== undefined).join(": ");
  return [text || JSON.stringify(error), ...causesOf(cause)];
}

/** Where it happened, as far as that is Hermes' or a plugin's own code. */
function framesOf(stack: string): string[] {
  const frames = stack.split("\n").map((line) => line.trim());
  return frames.filter((line) => line.startsWith("at ") && !line.includes("node:")).slice(0, 3);
}

function shortText(value: unknown): string {
  return shorten(oneLine(typeof value === "string" ? value : JSON.stringify(value)), 200);
}

function oneLine(value: unknown): string {
  return String(value).replaceAll(/\s+/g, " ");
}

/** In the time zone of this machine. */
function localTime(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace("T", " ");
}
