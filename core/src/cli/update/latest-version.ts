import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { KeptJson } from "../../base/kept-json.ts";
import { runProgram } from "../run-program.ts";

/** The package whose version counts: all of Hermes have one version. */
const PACKAGE = "@hermes/core";

/** How long npm may take, in milliseconds. */
const ASK_WITHIN_MS = 15_000;

/** How long an answer is good for, in milliseconds. */
const KEPT_MS = 24 * 60 * 60_000;

interface KnownVersion {
  readonly version: string;
  readonly askedAt: number;
}

/**
 * The latest version that is published, asked of npm once a day: with its own settings, such as a registry or a proxy.
 * Throws UPDATE_UNKNOWN.
 */
export async function latestVersion(
  home: string,
  { clock, environment }: { readonly clock: Clock; readonly environment: NodeJS.ProcessEnv },
): Promise<KnownVersion> {
  const file = join(home, "cache", "latest-version.json");
  const kept = new KeptJson<KnownVersion | null>(file, { empty: null, parse: parseKnown });
  const known = kept.read();
  const age = clock.now() - (known?.askedAt ?? 0);
  if (known !== null && age >= 0 && age < KEPT_MS) return known;

  // From the home: npm would take settings from the folder that it is run in.
  const question = ["npm", "view", PACKAGE, "dist-tags.latest", "--json"] as const;
  const { code, stdout, reason } = await runProgram(question, environment, { timeoutMs: ASK_WITHIN_MS, folder: home });
  if (code !== 0)
    throw new HermesError("UPDATE_UNKNOWN", { reason: refusalIn(stdout) || reason || "npm did not answer in time" });
  const version = stdout.trim().replaceAll('"', "");
  if (!isVersion(version)) throw new HermesError("UPDATE_UNKNOWN", { reason: "npm names no version" });
  const latest = { version, askedAt: clock.now() };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  kept.write(latest);
  return latest;
}

/** Why npm has no answer, by its document; null without one. The last line that it prints only names its own log. */
function refusalIn(stdout: string): string | null {
  try {
    const { code, summary } = Object(JSON.parse(stdout).error);
    if (code === "E404") return `the registry has no ${PACKAGE}`;
    return typeof summary === "string" ? reasonOf(summary) : null;
  } catch {
    return null;
  }
}

/** Whether a version is newer than another; a preview is older than what it leads to. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split("-")[0]?.split(".").map(Number) ?? []);
  for (const at of [0, 1, 2]) {
    const difference = (one?.[at] ?? 0) - (other?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return than.includes("-") && !version.includes("-");
}

function isVersion(text: unknown): text is string {
  return typeof text === "string" && /^\d{1,9}\.\d{1,9}\.\d{1,9}(-[\w.-]{1,50})?$/.test(text);
}

function parseKnown(json: unknown): KnownVersion {
  const { version, askedAt } = Object(json);
  if (!isVersion(version) || typeof askedAt !== "number") throw new TypeError("it holds no version");
  return { version, askedAt };
}
