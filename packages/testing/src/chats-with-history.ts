import { cpSync, rmSync } from "node:fs";
import type { CatchUp, HeardSoFar, HistoryEntry } from "@hermes/core";

/** A platform's history: channels with messages, numbered in writing order. */
export class Chats {
  readonly messages: { readonly place: string; readonly id: string; readonly text: string }[] = [];
  readonly asked: string[] = [];
  /** The errors that the next reads throw, one each. */
  readonly failures: Error[] = [];
  #last = 1_000;

  write(place: string, text: string): HistoryEntry {
    const message = { place, id: String(++this.#last), text };
    this.messages.push(message);
    return entryOf(message);
  }

  isAfter = (a: string, b: string) => Number(a) > Number(b);
  before = (id: string) => String(Number(id) - 1);
  at = () => String(this.#last);
  laneOf = (place: string) => place.split("/")[0] ?? place;
  lanes = async (horizon: string) =>
    [...new Set(this.messages.map(({ place }) => this.laneOf(place)))].map((lane) => ({ lane, after: horizon }));

  async *missed(lane: string, heard: HeardSoFar): AsyncGenerator<HistoryEntry> {
    this.asked.push(lane);
    const failure = this.failures.shift();
    if (failure) throw failure;
    for (const message of this.messages) {
      const { place, id } = message;
      if (this.laneOf(place) === lane && this.isAfter(id, heard.upTo(place))) yield entryOf(message);
    }
  }
}

function entryOf({ place, id, text }: Chats["messages"][number]): HistoryEntry {
  const conversation = { platform: "test", chatId: place, kind: "group" } as const;
  const message = { conversation, messageId: id, sender: { id: "ada" }, text, sentAt: 0 };
  return { place, id, decode: async () => message };
}

/** Ends it like a kill: what it writes when it stops is not in its folder. */
export function killed(running: CatchUp, folder: string): void {
  const asItWas = `${folder}.as-it-was`;
  cpSync(folder, asItWas, { recursive: true });
  running.stop();
  rmSync(folder, { recursive: true });
  cpSync(asItWas, folder, { recursive: true });
  rmSync(asItWas, { recursive: true });
}

/** Lets all pending work run that does not wait for a timer. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}
