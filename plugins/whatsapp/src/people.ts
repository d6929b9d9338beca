import { join } from "node:path";
import { isPhoneNumber } from "./ids.ts";
import { readOwnFile, writeOwnFile } from "./own-file.ts";

/** One person under all ids that are known to be theirs. */
interface Person {
  /** The id that their conversations are kept under: the one they were first met by. */
  readonly chatId: string;
  /** All ids, that one among them, the one that was learnt last at the end. */
  readonly ids: readonly string[];
}

/**
 * Who is who. WhatsApp calls one person by several ids: by the number, and by one that hides it; which of them stands
 * in a message changes from one to the next, and that they belong together is told at times only. A person's session
 * must not fork by that, so the conversation keeps the id that it began with. Kept in a file of the plugin's folder.
 */
export class People {
  readonly #path: string;
  readonly #byId = new Map<string, Person>();

  constructor(folder: string) {
    this.#path = join(folder, "people.json");
    const written = readOwnFile(this.#path);
    for (const person of written === null ? [] : (JSON.parse(written) as Person[])) this.#add(person);
  }

  /** The id that a person's conversation is kept under. */
  chatOf(id: string): string {
    return this.#byId.get(id)?.chatId ?? id;
  }

  /** All ids of a person, the given one among them. */
  idsOf(id: string): readonly string[] {
    return this.#byId.get(id)?.ids ?? [id];
  }

  /** The id by which a person is reached that fits; the one that was learnt last first. Null when none fits. */
  addressOf(id: string, fits: (id: string) => boolean): string | null {
    return this.idsOf(id).findLast(fits) ?? null;
  }

  /** A conversation with this person is known by this id, whatever else is learnt of them. */
  meet(id: string): void {
    if (!this.#byId.has(id)) this.#keep({ chatId: id, ids: [id] });
  }

  /** These ids are one person's. Returns the one that the conversation is kept under. */
  note(ids: readonly string[]): string {
    const known = [...new Set(ids.flatMap((id) => this.#byId.get(id) ?? []))];
    const all = [...new Set([...known.flatMap((person) => person.ids), ...ids])];
    const chatId = chatIdOf(known, all);
    const [person] = known;
    const isNews = known.length === 1 ? person?.ids.length !== all.length : all.length > 1 || !isPhoneNumber(chatId);
    // A number alone needs no remembering: it is what a person is called by in any case.
    if (isNews) this.#keep({ chatId, ids: all });
    return chatId;
  }

  #keep(person: Person): void {
    this.#add(person);
    writeOwnFile(this.#path, JSON.stringify([...new Set(this.#byId.values())]));
  }

  #add(person: Person): void {
    for (const id of person.ids) this.#byId.set(id, person);
  }
}

/** Where two turn out to be one, or nobody was known yet, the number wins: that is what configs and people name. */
function chatIdOf(known: readonly Person[], ids: readonly string[]): string {
  const [first, second] = known;
  if (first && !second) return first.chatId;
  const candidates = known.length > 0 ? known.map(({ chatId }) => chatId) : ids;
  return candidates.find(isPhoneNumber) ?? candidates[0] ?? "";
}
