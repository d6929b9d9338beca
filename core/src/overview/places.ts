import { readerIn } from "../handoff/readers.ts";
import { typedPlace } from "../handoff/resolve-place.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import { accountName } from "../model/identity.ts";
import type { KnownPlace } from "../model/known-place.ts";
import { chatCalled } from "../model/place-name.ts";
import type { Store } from "../store/store.ts";

/** A place that a session can be handed to, as `--json` prints it. */
export interface PlaceDocument {
  /** What people type for it. */
  readonly type: string;
  /** What people call it; null where it has no name. */
  readonly name: string | null;
  readonly platform: string | null;
  readonly account: string | null;
  /** `home`, named in the `config`, `heard` of, or the `terminal`. */
  readonly kind: "terminal" | "home" | "config" | "heard";
  readonly isShared: boolean;
  /** Who besides operators reads it, to begin a sentence: `Everybody in #general`, `Grace`; null for nobody. */
  readonly readBy: string | null;
  /** Milliseconds since 1970; null where that is not known. */
  readonly lastUsedAt: number | null;
}

/** A place of the config that its gateway cannot reach, and why. */
export interface UnreachableDocument {
  readonly type: string;
  readonly reason: string;
}

/**
 * Every place that a session can be handed to: the terminal, the home channels, then the others by when they were used.
 * Beside them, those of the config that cannot be reached.
 */
export async function placesDocument(
  store: Pick<Store, "gateways" | "places" | "grants" | "identities" | "people">,
): Promise<{ readonly places: readonly PlaceDocument[]; readonly unreachable: readonly UnreachableDocument[] }> {
  const known = await store.places.list();
  const served = (await store.gateways.alive()).flatMap(({ platforms }) => platforms);
  const homes = served.filter(({ home }) => home !== null);
  const isHome = new Set(homes.map(({ home }) => home?.key));
  const terminal = { type: "terminal", name: "terminal", platform: null, account: null, kind: "terminal" } as const;
  return {
    places: [
      { ...terminal, isShared: false, readBy: null, lastUsedAt: null },
      ...homes.map((home) => homeDocument(home, known)),
      ...(await Promise.all(known.filter(({ key }) => !isHome.has(key)).map((place) => placeDocument(store, place)))),
    ],
    unreachable: served.flatMap(({ platform, account, unreachable = [] }) =>
      unreachable.map(({ called, reason }) => ({ type: `${accountName({ platform, account })}/${called}`, reason })),
    ),
  };
}

function homeDocument(
  { platform, account, takesHandoffs, home }: ServedPlatform,
  known: readonly KnownPlace[],
): PlaceDocument {
  const place = known.find(({ key }) => key === home?.key);
  const isShared = home?.kind !== "dm";
  return {
    type: takesHandoffs ? platform : accountName({ platform, account }),
    name: home?.name ?? place?.name ?? null,
    ...{ platform, account: account ?? null, kind: "home", isShared },
    readBy: isShared
      ? `Everybody in ${chatCalled(home?.name ?? place?.name, { platform, chatId: home?.chatId ?? "" })}`
      : null,
    lastUsedAt: place?.heardAt ?? null,
  };
}

async function placeDocument(
  store: Pick<Store, "places" | "grants" | "identities" | "people">,
  place: KnownPlace,
): Promise<PlaceDocument> {
  const { called, name, conversation, word, heardAt } = place;
  const { platform, account, kind } = conversation;
  return {
    ...{ type: typedPlace(place), name: called ?? name, platform, account: account ?? null },
    ...{ kind: word, isShared: kind !== "dm", lastUsedAt: heardAt },
    readBy: kind === "dm" ? await readerIn(store, place) : `Everybody in ${chatCalled(name ?? called, conversation)}`,
  };
}
