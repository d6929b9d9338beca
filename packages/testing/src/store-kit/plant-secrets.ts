import type { Store } from "@hermes/core/embed";
import type { Kit } from "./kit.ts";
import { messagePlants } from "./planted-secrets/messages.ts";
import { peoplePlants } from "./planted-secrets/people.ts";
import type { Plants } from "./planted-secrets/plants.ts";
import { sessionPlants } from "./planted-secrets/sessions.ts";
import { workPlants } from "./planted-secrets/work.ts";
import { secretRows } from "./secret-rows.ts";

/** Passes secrets to every call of `store`, in every text and in every id. */
export async function plantSecrets(kit: Kit, store: Store): Promise<void> {
  const rows = secretRows(kit, store);
  // The compiler demands an entry for a new part.
  const plants: Plants<Exclude<keyof Store, "prune" | "watch" | "close">> = {
    ...sessionPlants(rows, store),
    ...workPlants(rows, store),
    ...messagePlants(rows, store),
    ...peoplePlants(rows, store),
  };
  for (const part of Object.values(plants)) for (const plant of Object.values(part)) await plant();
}
