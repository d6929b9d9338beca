import { accountBugs } from "./account.ts";
import { choiceBugs } from "./choices.ts";
import { claimBugs } from "./claims.ts";
import { editBugs } from "./edits.ts";
import { emulatorBugs } from "./emulators.ts";
import { fileBugs } from "./files.ts";
import { identityBugs } from "./identity.ts";
import { leftBugs } from "./left.ts";
import { namedPlaceBugs } from "./named-places.ts";
import { peopleBugs } from "./people.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { privateThreadBugs } from "./private-threads.ts";
import { receivingBugs } from "./receiving.ts";
import { referenceBugs } from "./references.ts";
import { renderingBugs } from "./rendering.ts";
import { sendingBugs } from "./sending.ts";
import { setupBugs } from "./setup.ts";

/** All planted bugs that the kit is tested with. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  ...receivingBugs,
  ...leftBugs,
  ...peopleBugs,
  ...identityBugs,
  ...renderingBugs,
  ...sendingBugs,
  ...claimBugs,
  ...fileBugs,
  ...choiceBugs,
  ...referenceBugs,
  ...editBugs,
  ...privateThreadBugs,
  ...namedPlaceBugs,
  ...accountBugs,
  ...setupBugs,
  ...emulatorBugs,
];
