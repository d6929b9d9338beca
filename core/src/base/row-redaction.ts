import { createHash } from "node:crypto";
import { madeOfSecrets } from "./known-secrets.ts";
import { createConcealer, REDACTED, seeingThroughHidden, withoutLookalikes } from "./redact.ts";
import { anyOf } from "./secret-finder.ts";
import { spellingsOf } from "./spellings.ts";

/** Redacts everything that is written to a row of the store. */
export interface RowRedaction {
  /** Redacts what people, the agent or a platform said: known secrets, and what looks like one. Cannot be undone. */
  text(text: string): string;
  /** Redacts known secrets only: for what runs or goes back to a model as it is. Cannot be undone. */
  known(text: string): string;
  /**
   * Replaces each known secret in an id, a key or a path by a stand-in of its own, so that ids stay distinct and joins
   * work; {@link original} restores it. Text that only looks like a secret stays: the platform gave that id, and knows
   * no other.
   */
  id(id: string): string;
  /** Restores what was given to {@link id}. */
  original(stored: string): string;
}

/** Made of characters that need no escape in an id, a key, JSON or a URL. */
const STAND_IN = /redacted~[0-9a-f]{12}/g;

const STAND_IN_LENGTH = "redacted~".length + 12;

/** The end of a text that was shortened. */
const CUT = "…";

/** In characters: a shortened text may end with less than this of a secret, which gives nothing away. */
const TELLING_LENGTH = 8;

/** Makes the row redaction for the known secrets: those of the environment, the config and the plugins. A `Set` may grow. */
export function createRowRedaction(secrets: Iterable<string>): RowRedaction {
  const rows = madeOfSecrets(secrets, redactionOf);
  return {
    text: (text) => rows().text(text),
    known: (text) => rows().known(text),
    id: (id) => rows().id(id),
    original: (stored) => rows().original(stored),
  };
}

function redactionOf(all: readonly string[]): RowRedaction {
  const known = spellingsOf(all);
  const values = anyOf(known);
  const { conceal } = createConcealer(all);
  const standIns = new Map(known.map((secret) => [secret, standInFor(secret)]));
  // Most stored ids, kinds and names are shorter than any secret, and need no search.
  const shortest = known.at(-1)?.length ?? 0;
  const originals = new Map([...standIns].map(([secret, standIn]) => [standIn, secret]));
  // Searched first, since nearly none has one, and a search costs less than a replacement or a cache.
  const stored = (id: string): string =>
    values === null || id.search(values) < 0 ? id : id.replaceAll(values, (secret) => standIns.get(secret) ?? REDACTED);
  return {
    text: seeingThroughHidden((text) =>
      withoutLookalikes(withoutCutSecret(conceal(text), known))
        // Somebody who writes a stand-in must not get the secret for it.
        .replaceAll(STAND_IN, REDACTED),
    ),
    known: (text) => conceal(text).replaceAll(STAND_IN, REDACTED),
    id: (id) => (id.length < shortest ? id : stored(id)),
    original: (row) =>
      values && row.length >= STAND_IN_LENGTH && row.includes("redacted~")
        ? row.replaceAll(STAND_IN, (standIn) => originals.get(standIn) ?? standIn)
        : row,
  };
}

function standInFor(secret: string): string {
  return `redacted~${createHash("sha256").update(secret).digest("hex").slice(0, 12)}`;
}

/** Redacts the beginning of a secret at the end of a title or a name that was shortened within it. */
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
