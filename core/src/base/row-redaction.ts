import { createHash } from "node:crypto";
import { RecentMap } from "./recent-map.ts";
import { anyOf, concealerOf, REDACTED, seeingThroughHidden, withoutLookalikes } from "./redact.ts";
import { spellingsOf } from "./spellings.ts";

/** What is done to everything that is written to a row. */
export interface RowRedaction {
  /** What people, the agent or a platform said: without secrets, and without what looks like one. For good. */
  text(text: string): string;
  /**
   * What rows are found and places are reached by: an id, a key, a path. A known secret within it is replaced by a
   * stand-in of its own, so that two ids stay two and rows stay joined, and comes back with {@link original}. What only
   * looks like a secret stays: the platform gave that id, and knows no other.
   */
  id(id: string): string;
  /** What was given to {@link id}. */
  original(stored: string): string;
}

/** Letters that no form of an id, a key, JSON or an address changes. */
const STAND_IN = /redacted~[0-9a-f]{12}/g;

/** Stands at the end of a text that was cut. */
const CUT = "…";

/** A cut text may end with so much of a secret: what is shorter gives nothing away. In characters. */
const TELLING_LENGTH = 8;

const MOST_RECENT_IDS = 1_000;

/** Makes the redaction of rows for the secrets that are known by value; those of environment, config and plugins. */
export function createRowRedaction(secrets: Iterable<string>): RowRedaction {
  const known = spellingsOf(secrets);
  const values = anyOf(known);
  const { conceal } = concealerOf(known);
  const standIns = new Map(known.map((secret) => [secret, standInFor(secret)]));
  // Most of what is stored is shorter: ids, kinds, names.
  const shortest = known.at(-1)?.length ?? 0;
  const originals = new Map([...standIns].map(([secret, standIn]) => [standIn, secret]));
  /** The same few sessions, keys and people come with every message. */
  const recent = new RecentMap<string, string>(MOST_RECENT_IDS);
  const stored = (id: string): string => {
    if (values === null) return id;
    const known = recent.get(id);
    if (known !== undefined) return known;
    const safe = id.replaceAll(values, (secret) => standIns.get(secret) ?? REDACTED);
    recent.set(id, safe);
    return safe;
  };
  return {
    text: seeingThroughHidden((text) =>
      withoutLookalikes(withoutCutSecret(conceal(text), known))
        // Whoever writes a stand-in must not get the secret for it.
        .replaceAll(STAND_IN, REDACTED),
    ),
    id: (id) => (id.length < shortest ? id : stored(id)),
    original: (row) =>
      values && row.includes("redacted~")
        ? row.replaceAll(STAND_IN, (standIn) => originals.get(standIn) ?? standIn)
        : row,
  };
}

function standInFor(secret: string): string {
  return `redacted~${createHash("sha256").update(secret).digest("hex").slice(0, 12)}`;
}

/** A title or a name that was cut within a secret ends with the beginning of one. */
function withoutCutSecret(text: string, known: readonly string[]): string {
  if (!text.endsWith(CUT)) return text;
  const shown = text.slice(0, -CUT.length);
  for (const secret of known) {
    for (let length = Math.min(secret.length - 1, shown.length); length >= TELLING_LENGTH; length--) {
      if (shown.endsWith(secret.slice(0, length))) return shown.slice(0, -length) + REDACTED + CUT;
    }
  }
  return text;
}
