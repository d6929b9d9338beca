import { type Check, ok, problem, warning } from "../check.ts";

/** The oldest that core's package.json takes. */
const OLDEST = [22, 13] as const;

/** From this one on, every version of Node.js is supported for long; before, the even ones were. */
const EVERY_ONE_FROM = 27;

export const nodeCheck: Check = {
  name: "node",
  title: "Node.js",
  async run({ machine: { nodeVersion } }) {
    const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
    const what = `Node.js ${nodeVersion}`;
    if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
      return [
        problem(
          `${what} is too old: Hermes needs ${OLDEST.join(".")} or newer.`,
          "Install a newer one: https://nodejs.org",
        ),
      ];
    }
    if (major % 2 === 1 && major < EVERY_ONE_FROM) {
      const hint = `Install ${major - 1} or ${major + 1}, which get repairs for years: https://nodejs.org`;
      return [warning(`${what} is one of the versions that get no repairs after a few months.`, hint)];
    }
    return [ok(`${what} is new enough.`)];
  },
};
