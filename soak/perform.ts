import { setTimeout as pause } from "node:timers/promises";
import type { Handoffs } from "./handoffs.ts";
import type { Disk } from "./harm/disk.ts";
import type { Gateways } from "./harm/gateways.ts";
import { holdLock } from "./harm/lock.ts";
import type { Ledger } from "./ledger/ledger.ts";
import { questionText } from "./marks.ts";
import type { Act, PlatformName } from "./plan/acts.ts";
import type { StoreFile } from "./store-file.ts";
import type { SoakPlatform, SoakSpot } from "./world/soak-platform.ts";

export interface Stage {
  readonly platforms: ReadonlyMap<PlatformName, SoakPlatform>;
  readonly ledger: Ledger;
  readonly gateways: Gateways;
  readonly handoffs: Handoffs;
  readonly disk: Disk;
  readonly file: StoreFile;
  /** Milliseconds since the run began. */
  readonly now: () => number;
}

/** What a platform does for longer than one call is put right after this, in milliseconds. */
const TROUBLE_MS = 5_000;

/** Does one act; resolves when it is over. */
export async function perform(stage: Stage, act: Act): Promise<void> {
  const { gateways, ledger, platforms } = stage;
  switch (act.does) {
    case "write":
      return write(stage, act);
    case "renew": {
      const platform = platforms.get(act.platform);
      const place = placeAt(platform, act.place);
      if (platform && place) await platform.write(place, platform.renewal).catch(() => {});
      return;
    }
    case "hand-off":
      return stage.handoffs.carry(act, stage.now);
    case "kill":
      return gateways.kill(act.who, act.forMs);
    case "freeze":
      return gateways.freeze(act.who, act.forMs);
    case "leave": {
      ledger.note(`both gateways are away for ${act.forMs} ms, and no platform repeats what comes meanwhile`);
      const away = gateways.kill("both", act.forMs);
      for (const platform of platforms.values()) platform.forget();
      await pause(act.forMs - 100);
      for (const platform of platforms.values()) platform.heal();
      return away;
    }
    case "lock":
      return holdLock(stage.file, ledger, act.forMs);
    case "fill":
      return stage.disk.fill(act.forMs);
    case "trouble":
      return trouble(stage, act);
  }
}

type Written = Pick<Extract<Act, { does: "write" }>, "platform" | "place" | "token" | "byNewcomer">;

/** Lets a person write; resolves when the platform has it. */
export async function write(
  stage: Stage,
  { platform: name, place: number, token, byNewcomer }: Written,
): Promise<void> {
  const { ledger, platforms } = stage;
  const platform = platforms.get(name);
  const place = placeAt(platform, number);
  if (!platform || !place) return;
  const asked = ledger.ask(token, name, nameOfPlace(name, place));
  ledger.note(`written at ${asked.place}`, asked);
  try {
    ledger.taken(asked, await platform.write(place, questionText(token), byNewcomer));
  } catch (error) {
    ledger.note(`could not be written: ${String(error)}`, asked);
    ledger.withdraw(asked);
  }
}

async function trouble(
  { platforms, ledger }: Stage,
  { platform: name, which, place: at }: Extract<Act, { does: "trouble" }>,
): Promise<void> {
  const platform = platforms.get(name);
  const place = placeAt(platform, at);
  if (!platform || !place) return;
  const { troubles } = platform;
  const chosen = troubles[which % troubles.length];
  if (chosen === undefined) return;
  // What is removed is looked at first: it has been shown.
  ledger.see(name, await platform.shown());
  ledger.note(`trouble: ${chosen.name} (${nameOfPlace(name, place)})`, { platform: name });
  if (chosen.removes && place.threadId !== undefined) ledger.remove(name, nameOfPlace(name, place));
  const undo = chosen.play(place);
  if (undo === undefined) return;
  await pause(TROUBLE_MS);
  undo();
  ledger.note(`over: ${chosen.name}`, { platform: name });
}

function nameOfPlace(platform: PlatformName, { chatId, threadId }: SoakSpot): string {
  if (threadId === undefined) return chatId;
  return platform === "web" ? threadId : `${chatId}/${threadId}`;
}

function placeAt(platform: SoakPlatform | undefined, number: number): SoakSpot | undefined {
  const places = platform?.places() ?? [];
  return places[number % places.length];
}
