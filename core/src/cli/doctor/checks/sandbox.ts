import { type Check, ok } from "../check.ts";

/** Says that none is needed: `hermes` gives a model no tools. */
export const sandboxCheck: Check = {
  name: "sandbox",
  title: "Sandbox",
  async run() {
    return [ok("None is needed: the model is given no tools, so nothing is run for it.")];
  },
};
