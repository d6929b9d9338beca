import { isDeepStrictEqual } from "node:util";
import { isSecretName } from "@hermes/core/internal";

/** Returns the options that hold secrets, with wrong values. Others, such as an address, belong to one emulator. */
export function wrongOptions(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const wrong = Object.entries(options).map(([name, value]) => [name, withWrongSecrets(value, isSecretName(name))]);
  return Object.fromEntries(wrong.filter(([name, value]) => !isDeepStrictEqual(value, options[String(name)])));
}

/** Changes the last characters of each secret: well-formed, but not accepted. */
function withWrongSecrets(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret ? withOtherEnd(value) : value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, withWrongSecrets(inner, isSecret || isSecretName(name))]),
  );
}

function withOtherEnd(secret: string): string {
  const ends = /\d$/.test(secret) ? ["0000", "1111"] : ["zzzz", "yyyy"];
  return secret.slice(0, -4) + ends.find((end) => !secret.endsWith(end));
}
