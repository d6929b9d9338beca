import { KeyedQueue } from "../../base/keyed-queue.ts";
import { openElsewhere } from "../../command/open-views.ts";
import { memberIn } from "../../handoff/readers.ts";
import type { Host } from "../../host/host.ts";
import type { Binding } from "../../model/binding.ts";
import { writerIn } from "../../model/mark.ts";
import { placeName } from "../../model/place-name.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";

/** How many messages are looked through for those who speak at a place, and how many of them are named. */
const LATEST = 200;
const MOST_NAMED = 3;

/** A place at which others can read a session. */
interface Readers {
  /** Whom and what it stands for, so that each is told once. */
  readonly key: string;
  readonly where: string;
  readonly text: string;
}

/** Says who besides the person at the terminal can read the session that is open there, before they write, and where it is open. */
export class Company {
  readonly #output: Output;
  readonly #host: Host;
  readonly #looks = new KeyedQueue<"look">();
  #sessionId: SessionId | null = null;
  #told = new Map<string, string>();
  #views = new Set<string>();

  constructor(output: Output, host: Host) {
    this.#output = output;
    this.#host = host;
  }

  /** Says what is new since it was said last. */
  show(sessionId: SessionId): Promise<void> {
    return this.#looks.run("look", async () => {
      if (this.#sessionId !== sessionId) {
        this.#sessionId = sessionId;
        this.#told = new Map();
        this.#views = new Set();
      }
      await this.#tellViews(sessionId);
      await this.#tellReaders(sessionId);
    });
  }

  async #tellReaders(sessionId: SessionId): Promise<void> {
    const readers = await this.#readersOf(sessionId);
    const told = this.#told;
    this.#told = new Map(readers.map(({ key, where }) => [key, where]));
    for (const { key, text } of readers) if (!told.has(key)) this.#output.note(text);
    for (const [key, where] of told) {
      if (!this.#told.has(key)) this.#output.note(`This session can no longer be read ${where}.`);
    }
  }

  async #tellViews(sessionId: SessionId): Promise<void> {
    const { store, clock, holder } = this.#host;
    const views = (await store.views.of(sessionId)).filter((view) => view.holder.id !== holder.id);
    const ids = new Set(views.map((view) => `${view.holder.id} ${view.surface}`));
    const isNew = [...ids].some((id) => !this.#views.has(id));
    this.#views = ids;
    if (!isNew) return;
    for (const where of await openElsewhere({ store, clock, here: holder.id }, sessionId)) {
      this.#output.note(`Also open ${where}.`);
    }
  }

  async #readersOf(sessionId: SessionId): Promise<Readers[]> {
    const { store } = this.#host;
    const bindings = await store.bindings.of(sessionId);
    const readers: Readers[] = [];
    for (const binding of bindings) {
      const { key, conversation } = binding;
      const where = placeName(key, conversation);
      if (conversation.kind === "dm") {
        const guest = await this.#guestAt(binding);
        const member = guest === null ? await memberIn(store, binding) : null;
        if (guest !== null) {
          readers.push({ key: `${key} guest`, where, text: `${guest}, a guest ${where}, can read this session.` });
        } else if (member !== null) readers.push({ key, where, text: canRead(member, where) });
      } else if (this.#told.has(key)) {
        readers.push({ key, where, text: "" });
      } else {
        readers.push({ key, where, text: canRead(peopleText(await this.#speakersAt(binding)), where) });
      }
    }
    return readers;
  }

  /** The name of a guest who has the session by a pass. Whom a pass is for by name is no guest. */
  async #guestAt({ key, sessionId }: Binding): Promise<string | null> {
    const passes = await this.#host.store.codes.list("pass");
    const pass = passes.find(
      (one) => one.state === "taken" && one.person === null && one.sessionId === sessionId && one.who?.surface === key,
    );
    return pass === undefined ? null : (pass.who?.name ?? "Somebody");
  }

  /** Those who spoke there last, the latest first. */
  async #speakersAt({ key, sessionId }: Binding): Promise<string[]> {
    const messages = await this.#host.store.transcripts.read(sessionId, { limit: LATEST });
    const names = messages
      .filter(({ role, surface }) => role === "user" && surface === key)
      .map(({ text }) => writerIn(text))
      .filter((name) => name !== null);
    return [...new Set(names.reverse())];
  }
}

function canRead(who: string, where: string): string {
  return `${who} ${where}${where.includes(",") ? "," : ""} can read this session.`;
}

function peopleText(names: readonly string[]): string {
  return names.length === 0 ? "Others" : `${names.slice(0, MOST_NAMED).join(", ")} and others`;
}
