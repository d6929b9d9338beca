import { cloud } from "./cloud/subject.ts";
import { personal } from "./personal/subject.ts";

/** One for each kind of account. */
export const subjects = { cloud, personal };
