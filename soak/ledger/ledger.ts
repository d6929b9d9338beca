import { marksIn, tokensIn } from "../marks.ts";
import type { PlatformName } from "../plan/acts.ts";
import type { ShownMessage } from "../world/soak-platform.ts";

/** What a person wrote, or a handoff that was asked for. Times are milliseconds since the run began. */
export interface Asked {
  readonly token: string;
  readonly platform: PlatformName;
  readonly place: string;
  readonly at: number;
  /** When the platform had it; null while it does not. */
  takenAt: number | null;
  /** The platform's id of it. */
  messageId: string | null;
  /** The platform does not hold it any more: it went with its thread. */
  isGone?: boolean;
}

/** A message of Hermes as people have seen it, whatever became of it later. */
export interface Sighting {
  readonly platform: PlatformName;
  readonly place: string;
  readonly id: string;
  readonly firstAt: number;
  /** As it was last seen. */
  text: string;
  changedAt: number;
  /** When it was no longer there; null while it is. */
  goneAt: number | null;
  /** It went with its place, so that nobody sees it beside what was said anew. */
  isRemoved?: boolean;
}

export interface Note {
  readonly at: number;
  readonly what: string;
  /** Whom it concerns; everybody where it is left out. */
  readonly token?: string;
  readonly platform?: PlatformName;
}

/**
 * What was written, what was shown, and what happened, noted by a process that nobody kills and that takes nobody's word
 * for it.
 */
export class Ledger {
  readonly asked = new Map<string, Asked>();
  readonly notes: Note[] = [];
  /** In the order in which they were first seen. */
  readonly sightings = new Map<string, Sighting>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  note(what: string, about: { readonly token?: string; readonly platform?: PlatformName } = {}): void {
    this.notes.push({ at: this.#now(), what, ...about });
  }

  ask(token: string, platform: PlatformName, place: string): Asked {
    const asked: Asked = { token, platform, place, at: this.#now(), takenAt: null, messageId: null };
    this.asked.set(token, asked);
    return asked;
  }

  /** It never came to be: the place was gone, say. */
  withdraw({ token }: Asked): void {
    this.asked.delete(token);
  }

  /** A place is removed with all that stands in it. */
  remove(platform: PlatformName, place: string): void {
    for (const asked of this.asked.values()) {
      if (asked.platform === platform && asked.place === place) asked.isGone = true;
    }
    for (const sighting of this.sightings.values()) {
      if (sighting.platform === platform && sighting.place === place) sighting.isRemoved = true;
    }
  }

  taken(asked: Asked, messageId: string | null): void {
    asked.takenAt = this.#now();
    asked.messageId = messageId;
    this.note(`taken by the platform as ${messageId}`, asked);
  }

  /** Notes what stands on a platform now. */
  see(platform: PlatformName, shown: readonly ShownMessage[]): void {
    const there = new Set<string>();
    for (const { place, id, isBot, text } of shown) {
      if (!isBot) continue;
      const key = `${platform} ${place} ${id}`;
      there.add(key);
      const known = this.sightings.get(key);
      if (known === undefined) this.#seeNew(key, { platform, place, id, text });
      else if (known.text !== text) this.#seeChanged(known, text);
    }
    for (const [key, sighting] of this.sightings) {
      if (sighting.platform === platform && sighting.goneAt === null && !there.has(key)) sighting.goneAt = this.#now();
    }
  }

  #seeNew(key: string, seen: Pick<Sighting, "platform" | "place" | "id" | "text">): void {
    const at = this.#now();
    this.sightings.set(key, { ...seen, firstAt: at, changedAt: at, goneAt: null });
    this.#noteShown("shown", seen);
  }

  #seeChanged(sighting: Sighting, text: string): void {
    sighting.text = text;
    sighting.changedAt = this.#now();
    this.#noteShown("edited", sighting);
  }

  #noteShown(verb: string, { platform, place, id, text }: Pick<Sighting, "platform" | "place" | "id" | "text">): void {
    const parts = marksIn(text).map(({ part, of }) => `${part}/${of}`);
    const said = text.length > 90 ? `${text.slice(0, 90).toWellFormed()}…` : text;
    for (const token of new Set(tokensIn(text))) {
      this.note(`${verb} at ${place} as ${id}: ${JSON.stringify(said)} ${parts.join(" ")}`.trim(), { token, platform });
    }
  }
}
