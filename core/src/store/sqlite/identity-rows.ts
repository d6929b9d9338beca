import type { KnownPerson, PlatformId } from "../../adapter/identity.ts";
import type { IdentityScope, IdentityWord } from "../../model/identity.ts";
import type { IdentityKey } from "../../model/person.ts";
import type { Context } from "./connection.ts";
import { linkOf, mergeLinks } from "./person-links.ts";

export interface IdentityRow {
  readonly number: number;
  readonly platform: string;
  readonly account: string;
  readonly id: string;
  readonly strength: PlatformId["strength"];
  readonly person: string;
  readonly since: number;
  readonly word: IdentityWord;
  /** When a message last came from it. Updated only if the previous message came from another of the person's ids. */
  readonly heard_at: number | null;
  readonly until: number | null;
  readonly ended_by: IdentityWord | null;
}

/** An id that belongs to a person now, and whether it ever belonged to somebody else, as a weak one can. */
export type OwnRow = IdentityRow & { readonly was_of_another: number };

/** The identities of one platform account; for use inside `read` and `write`. */
export class IdentityRows {
  readonly #context: Context;
  readonly #scope: readonly [platform: string, account: string];

  constructor(context: Context, { platform, account }: IdentityScope) {
    this.#context = context;
    this.#scope = [platform, account ?? ""];
  }

  /** The row for the current owner of an id. */
  holder(id: string): IdentityRow | undefined {
    return this.#context.db.get<IdentityRow>(
      "SELECT * FROM identities WHERE platform = +? AND account = +? AND id = +? AND until IS NULL",
      ...this.#scope,
      id,
    );
  }

  /** A person's current ids, the most recently heard first. */
  of(person: string): OwnRow[] {
    return this.#context.db.all<OwnRow>(
      `SELECT *, strength = 'weak' AND EXISTS (
         SELECT 1 FROM identities AS others
         WHERE others.platform = own.platform AND others.account = own.account AND others.id = own.id
           AND others.person <> own.person
       ) AS was_of_another
       FROM identities AS own WHERE platform = +? AND account = +? AND person = +? AND until IS NULL
       ORDER BY heard_at DESC NULLS LAST, strength = 'weak' DESC, number`,
      ...this.#scope,
      person,
    );
  }

  /** The keys of people who have several strong ids now. */
  withSeveralStrong(): string[] {
    return this.#context.db
      .all<{ person: string }>(
        `SELECT person FROM identities
         WHERE platform = +? AND account = +? AND until IS NULL AND strength = 'strong'
         GROUP BY person HAVING count(*) > 1`,
        ...this.#scope,
      )
      .map(({ person }) => person);
  }

  /** Whether there is, or ever was, a person with this key. */
  isPerson(key: string): boolean {
    return this.#has("person = +?", key);
  }

  hasEverHadStrong(person: string): boolean {
    return this.#has("person = +? AND strength = 'strong'", person);
  }

  /** Whether an id belongs, or ever belonged, to somebody else. */
  isOrWasOfAnother(id: string, person: string): boolean {
    return this.#has("id = +? AND person <> ?", id, person);
  }

  /** The first of `keys` that was never used for a person, nor linked to one; if there is none, one made from the first. */
  freeKey(keys: readonly string[]): string {
    const free = keys.find((key) => !this.isPerson(key) && !this.isOrWasOfAnother(key, key) && !this.#isLinked(key));
    if (free !== undefined) return free;
    for (let count = 2; ; count++) {
      const key = `${keys[0]}~${count}`;
      if (!this.isPerson(key)) return key;
    }
  }

  person(key: string, own: readonly OwnRow[] = this.of(key)): KnownPerson {
    return known(key, own, true);
  }

  /** The person with this key; null if there never was one. */
  personOrNull(key: string): KnownPerson | null {
    const own = this.of(key);
    return own.length > 0 || this.isPerson(key) ? known(key, own, true) : null;
  }

  /** A person about whom nothing is stored. */
  unkept(key: string, ids: readonly PlatformId[]): KnownPerson {
    const isAnothers = ({ id, strength }: PlatformId) => strength === "weak" && this.isOrWasOfAnother(id, key);
    const rows = ids.map((id) => ({ ...id, was_of_another: Number(isAnothers(id)) }));
    return known(key, rows, false);
  }

  give({ id, strength }: PlatformId, person: string, word: IdentityWord): void {
    this.#insert({ id, strength, person, word, until: null, ended_by: null });
  }

  /** Records that an id belonged to a person before, and no longer does. */
  giveFormer({ id, strength }: PlatformId, person: string, word: IdentityWord, endedBy = word): void {
    this.#insert({ id, strength, person, word, until: this.#context.clock.now(), ended_by: endedBy });
  }

  end({ number }: IdentityRow, word: IdentityWord): void {
    const { db, clock } = this.#context;
    db.run("UPDATE identities SET until = ?, ended_by = ? WHERE number = ?", clock.now(), word, number);
  }

  /** Records that a message came from this id of the person, which makes it the most recently heard one. */
  hear(id: string, person: string): void {
    const { db, clock } = this.#context;
    const latest = this.of(person)[0]?.heard_at ?? 0;
    db.run(
      "UPDATE identities SET heard_at = ? WHERE platform = ? AND account = ? AND id = ? AND until IS NULL",
      Math.max(clock.now(), latest + 1),
      ...this.#scope,
      id,
    );
  }

  /** Merges two people into one, and what they are linked to. */
  merge(from: string, into: string): void {
    this.#context.db.run(
      "UPDATE identities SET person = ? WHERE platform = ? AND account = ? AND person = ?",
      into,
      ...this.#scope,
      from,
    );
    mergeLinks(this.#context, this.#identity(from), this.#identity(into));
  }

  #isLinked(key: string): boolean {
    return linkOf(this.#context, this.#identity(key)) !== undefined;
  }

  #identity(key: string): IdentityKey {
    const [platform, account] = this.#scope;
    return { platform, account: account === "" ? undefined : account, key };
  }

  #has(condition: string, ...values: readonly string[]): boolean {
    const sql = `SELECT 1 FROM identities WHERE platform = +? AND account = +? AND ${condition} LIMIT 1`;
    return this.#context.db.get(sql, ...this.#scope, ...values) !== undefined;
  }

  #insert(row: Pick<IdentityRow, "id" | "strength" | "person" | "word" | "until" | "ended_by">): void {
    const { db, clock } = this.#context;
    const [platform, account] = this.#scope;
    db.run(
      `INSERT INTO identities (platform, account, id, strength, person, since, word, until, ended_by)
       VALUES ($platform, $account, $id, $strength, $person, $since, $word, $until, $ended_by)`,
      { platform, account, since: clock.now(), ...row },
    );
  }
}

function known(
  key: string,
  rows: readonly (PlatformId & Pick<OwnRow, "was_of_another">)[],
  isKept: boolean,
): KnownPerson {
  const strong = rows.filter(({ strength }) => strength === "strong");
  const weak = rows.filter(({ strength, was_of_another: wasOfAnother }) => strength === "weak" && !wasOfAnother);
  return {
    key,
    ids: rows.map(({ id, strength }) => ({ id, strength })),
    grants: [...strong, ...weak].map(({ id }) => id),
    isKept,
  };
}
