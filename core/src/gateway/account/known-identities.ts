import type { FormerPerson, Identities, KnownPerson, PlatformId } from "../../adapter/identity.ts";
import type { Sender } from "../../adapter/message.ts";
import type { IdentityScope } from "../../model/identity.ts";
import type { PlatformOptions } from "../../plugin/platform-options.ts";
import type { Store } from "../../store/store.ts";

/** Who is who on one platform account, as its plugin and its gateway see it. */
export class KnownIdentities implements Identities {
  readonly #store: Store;
  readonly #scope: IdentityScope;
  /** Ids that the config names: what is said about them is kept before they write for the first time. */
  readonly #named: ReadonlySet<string>;

  constructor(
    store: Store,
    platform: string,
    {
      account,
      allowedUsers,
      operators,
      homeChannel,
    }: Pick<PlatformOptions, "account" | "allowedUsers" | "operators" | "homeChannel">,
  ) {
    this.#store = store;
    this.#scope = { platform, account };
    this.#named = new Set([...allowedUsers, ...operators, ...(homeChannel ? [homeChannel.chatId] : [])]);
  }

  note(ids: readonly PlatformId[], keys: readonly string[] = ids.map(({ id }) => id)): Promise<KnownPerson> {
    return this.#store.identities.note(this.#scope, { ids, keys, word: "message", keep: this.#isAnyNamed(ids) });
  }

  link(from: readonly PlatformId[], to: readonly PlatformId[]): Promise<KnownPerson> {
    return this.#store.identities.link(this.#scope, { from, to, keep: this.#isAnyNamed([...from, ...to]) });
  }

  person(key: string): Promise<KnownPerson | null> {
    return this.#store.identities.person(this.#scope, key);
  }

  holder(id: string): Promise<KnownPerson | null> {
    return this.#store.identities.holder(this.#scope, id);
  }

  async isLinked(id: string): Promise<boolean> {
    const key = (await this.holder(id))?.key ?? id;
    return (await this.#store.people.of(this.#scope, key)) !== null;
  }

  meet(id: PlatformId): Promise<KnownPerson> {
    return this.#store.identities.note(this.#scope, { ids: [id], keys: [id.id], word: "config", keep: true });
  }

  adopt(people: readonly FormerPerson[]): Promise<void> {
    return this.#store.identities.adopt(this.#scope, people);
  }

  part(): Promise<void> {
    return this.#store.identities.part(this.#scope);
  }

  /** The sender of a message with the ids that are theirs by now: it may have waited while one of them was taken. */
  async current(sender: Sender): Promise<Sender> {
    const { person } = sender;
    if (person === undefined) return sender;
    const known = await this.#store.identities.person(this.#scope, person.key);
    if (known === null) return sender;
    const [id = known.key, ...aliases] = known.grants;
    return { ...sender, id, aliases, person: known };
  }

  /** Keeps somebody who is allowed to talk to the agent. */
  async keep({ person }: Sender): Promise<void> {
    if (person === undefined || person.isKept) return;
    const { key, ids } = person;
    await this.#store.identities.note(this.#scope, { ids, keys: [key], word: "message", keep: true });
  }

  #isAnyNamed(ids: readonly PlatformId[]): boolean {
    return ids.some(({ id }) => this.#named.has(id));
  }
}
