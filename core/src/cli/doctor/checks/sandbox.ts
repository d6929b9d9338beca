import { type Check, ok } from "../check.ts";

/** Says that there is none by now. */
export const sandboxCheck: Check = {
  name: "sandbox",
  title: "Sandbox",
  async run() {
    return [ok("There is none: a command that you allow can do what you can.")];
  },
};
