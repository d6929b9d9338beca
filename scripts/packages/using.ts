import type { Project } from "./project.ts";

/** One way to install and use the packages. */
export interface Case {
  readonly name: string;
  run(project: Project): Promise<void>;
}

export const PLUGINS = ["@hermes/core", "@hermes/plugin-web", "@hermes/plugin-telegram"];

/** Of the right form, and nobody's. */
export const TOKEN = `123456789:${"A".repeat(35)}`;

export const DATA = {
  plugins: [
    ["@hermes/plugin-web", { port: 0 }],
    ["@hermes/plugin-telegram", { token: TOKEN, allowedUsers: ["1"] }],
  ],
};

export const packageJson = (more: object = {}) => ({ name: "somebody", private: true, version: "1.0.0", ...more });

export function expectIn(text: string, part: string | RegExp): void {
  if (!(typeof part === "string" ? text.includes(part) : part.test(text))) {
    throw new Error(`expected ${part} in:\n${text}`);
  }
}

type Hermes = (...args: string[]) => Promise<string>;

/** What everybody does first, by whichever way `hermes` is called. */
export async function usesHermes(hermes: Hermes): Promise<void> {
  expectIn(await hermes("config", "check"), /is in order\.[\s\S]*platforms: web, telegram/);
  expectIn(await hermes("plugins"), "telegram  @hermes/plugin-telegram@");
  await handsOff(hermes);
}

/** A session goes from the terminal to the page, through a gateway in the background. */
export async function handsOff(hermes: Hermes): Promise<void> {
  expectIn(await hermes("chat", "-q", "Where do we stand?", "--json"), "{");
  expectIn(await hermes("sessions"), "Where do we stand");
  await hermes("gateway", "--detach");
  try {
    expectIn(await hermes("handoff", "web", "--session", "1"), /http:\/\/127\.0\.0\.1:\d+\/t\//);
    expectIn(await hermes("sessions"), /web/);
  } finally {
    await hermes("gateway", "stop");
  }
}
