import { readFileSync } from "node:fs";

/** The version of this Hermes. */
export function version(): string {
  const json: { version?: string } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return json.version ?? "unknown";
}
