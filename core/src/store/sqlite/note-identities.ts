import type { FormerPerson, KnownPerson, PlatformId } from "../../adapter/identity.ts";
import type { IdentityLink, IdentityNote } from "../../model/identity.ts";
import type { IdentityRow, IdentityRows, OwnRow } from "./identity-rows.ts";

/** The changes that follow from a note. */
interface Change {
  readonly key: string;
  readonly isNew: boolean;
  /** The person's ids so far. */
  readonly own: readonly OwnRow[];
  /** Ids that their current owner loses. */
  readonly ended: readonly IdentityRow[];
  readonly given: readonly PlatformId[];
  /** The id that the message came from, if the previous message came from another one. */
  readonly heard: string | null;
}

/** Recognises a person if that needs no write; else null. */
export function recognise(rows: IdentityRows, note: IdentityNote): KnownPerson | null {
  const held = heldOf(rows, note.ids);
  const { key, isNew, own, ended, given, heard } = changeBy(rows, note, ownerOf(rows, note.ids, held), held);
  if (ended.length > 0 || given.length > 0 || heard !== null) return null;
  return isNew ? rows.unkept(key, note.ids) : rows.person(key, own);
}

/** Stores what a note says about ids. `known` is the person who has them, if that is known already. */
export function noteIdentities(rows: IdentityRows, note: IdentityNote, known?: string | null): KnownPerson {
  const held = heldOf(rows, note.ids);
  const owner = known === undefined ? ownerOf(rows, note.ids, held) : known;
  const { key, isNew, ended, given, heard } = changeBy(rows, note, owner, held);
  for (const row of ended) rows.end(row, note.word);
  for (const id of given) rows.give(id, key, note.word);
  if (heard !== null) rows.hear(heard, key);
  return isNew && given.length === 0 ? rows.unkept(key, note.ids) : rows.person(key);
}

/**
 * The person whom these ids identify. A known strong id decides. A weak id decides when it comes alone; beside a new
 * strong id only if its holder never had a strong one, since a weak id may have passed to somebody else.
 */
function ownerOf(rows: IdentityRows, ids: readonly PlatformId[], held: readonly IdentityRow[]): string | null {
  const strong = ids.filter(isStrong);
  const known = held.find(({ id }) => strong.some((one) => one.id === id));
  if (known) return known.person;
  const weak = held[0]?.person ?? null;
  return weak === null || (strong.length > 0 && rows.hasEverHadStrong(weak)) ? null : weak;
}

/** The rows of those ids that belong to somebody. */
function heldOf(rows: IdentityRows, ids: readonly PlatformId[]): IdentityRow[] {
  return ids.flatMap(({ id }) => rows.holder(id) ?? []);
}

function changeBy(
  rows: IdentityRows,
  { ids, keys, word, keep }: IdentityNote,
  owner: string | null,
  held: readonly IdentityRow[],
): Change {
  const isNew = owner === null;
  const key = owner ?? rows.freeKey(keys.length > 0 ? keys : ids.map(({ id }) => id));
  const own = isNew ? [] : rows.of(key);
  const isOwn = ({ id }: PlatformId) => own.some((row) => row.id === id);
  const others = held.filter(({ person }) => person !== key);
  // A person has one weak id at a time: the former one may belong to somebody else by now.
  const former = ids.some(isWeak) ? own.filter((row) => isWeak(row) && !ids.some(({ id }) => id === row.id)) : [];
  const isWritten = keep || !isNew;
  const isHeard = word === "message" || word === "system";
  const [from] = ids;
  const last = own.find(({ heard_at: at }) => at !== null);
  return {
    key,
    isNew,
    own,
    ended: [...others, ...former],
    given: isWritten ? ids.filter((id) => !isOwn(id)) : [],
    heard: isWritten && isHeard && from && last?.id !== from.id ? from.id : null,
  };
}

/** Stores that, as the platform reports, the person with the ids `from` now has the ids `to`. */
export function linkIdentities(rows: IdentityRows, { from, to, keep }: IdentityLink): KnownPerson {
  const earlier = holderOf(rows, from.filter(isStrong));
  const later = holderOf(rows, to.filter(isStrong));
  // Strong ids on both sides: the platform itself says that they belong to one person.
  if (earlier !== null && later !== null && earlier !== later) rows.merge(later, earlier);
  const owner = earlier ?? later ?? ownerByWeak(rows, from, to);
  const kept = from.filter(({ id, strength }) => strength === "strong" && !to.some((one) => one.id === id));
  const left = from.filter(({ id, strength }) => strength === "weak" && !to.some((one) => one.id === id));
  const isAnyKnown = owner !== null || [...from, ...to].some(({ id }) => rows.holder(id) !== undefined);
  for (const { id } of left) {
    const row = rows.holder(id);
    if (row) rows.end(row, "system");
  }
  const ids = [...to, ...kept];
  const person = noteIdentities(rows, { ids, keys: [], word: "system", keep: keep || isAnyKnown }, owner);
  if (!person.isKept) return person;
  // The next owner of such an id is somebody else, even if the id was unknown until now.
  for (const id of left) {
    if (!rows.isOrWasOfAnother(id.id, "")) rows.giveFormer(id, person.key, "system");
  }
  return rows.person(person.key);
}

/** The owner by weak ids; when `to` has a strong id, never somebody who ever had a strong one. */
function ownerByWeak(rows: IdentityRows, from: readonly PlatformId[], to: readonly PlatformId[]): string | null {
  const [earlier, later] = [holderOf(rows, from), holderOf(rows, to)];
  const isFree = (key: string | null) => key !== null && !rows.hasEverHadStrong(key);
  if (isFree(later)) return later;
  if (isFree(earlier)) return earlier;
  return to.some(isStrong) ? null : (earlier ?? later);
}

/** Adopts a person that a plugin stored itself, and parts people whom a weak id had joined. */
export function adoptPerson(rows: IdentityRows, { key, ids }: FormerPerson): void {
  if (rows.isPerson(key) || ids.some(({ id }) => rows.holder(id))) return;
  const [strong, weak] = [ids.filter(isStrong), ids.filter(isWeak)];
  if (strong.length <= 1) {
    for (const id of strong) rows.give(id, key, "kept");
    const [only, ...more] = weak;
    if (only && more.length === 0) rows.give(only, key, "kept");
    else if (strong.length > 0) for (const id of weak) rows.giveFormer(id, key, "kept", "parted");
    else partAll(rows, key, weak);
  } else {
    partAll(rows, key, strong);
    for (const id of weak) rows.giveFormer(id, key, "kept", "parted");
  }
}

/** Parts people to whom messages gave several strong ids. The conversation stays with the id that names it. */
export function partJoined(rows: IdentityRows): void {
  for (const key of rows.withSeveralStrong()) {
    for (const row of rows.of(key)) {
      if (isWeak(row) || row.word !== "message" || row.id === key) continue;
      rows.end(row, "parted");
      rows.give(row, rows.isPerson(row.id) ? rows.freeKey([row.id]) : row.id, "parted");
    }
  }
}

/** Makes each id a person of its own. The conversation stays with the id that names it. */
function partAll(rows: IdentityRows, key: string, ids: readonly PlatformId[]): void {
  for (const id of ids) {
    if (id.id !== key) rows.giveFormer(id, key, "kept", "parted");
  }
  for (const id of ids)
    rows.give(id, id.id === key ? key : rows.isPerson(id.id) ? rows.freeKey([id.id]) : id.id, "parted");
}

function holderOf(rows: IdentityRows, ids: readonly PlatformId[]): string | null {
  for (const { id } of ids) {
    const row = rows.holder(id);
    if (row) return row.person;
  }
  return null;
}

function isStrong({ strength }: PlatformId): boolean {
  return strength === "strong";
}

function isWeak({ strength }: PlatformId): boolean {
  return strength === "weak";
}
