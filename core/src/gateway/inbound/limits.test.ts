import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, describe, expect, it } from "vitest";
import type { Limits } from "../../model/limit.ts";
import { LIMITS } from "../../turn/turn-limits.ts";
import { asking, IN_TEAM, toTeam, touch } from "./test-asking.ts";

afterEach(disposeMachines);

/** A machine whose agent may touch without asking, and may use so much. */
function limited(limits: Limits, script: Parameters<typeof asking>[1], options: Parameters<typeof asking>[0] = {}) {
  return asking(options, script, ["touch"], (container) => container.registerInstance(LIMITS, limits));
}

describe("a limit that is reached", () => {
  it("asks in the chat before the next request, and goes on when somebody presses", async () => {
    const { platform, gateway, until, ran, say, asked, press } = limited({ session: { tokens: 1 } }, [
      [{ say: "Let me see." }, touch(), { say: "Done." }],
    ]);
    const { host } = await gateway();
    await say("Go");
    const message = await asked(host.store);
    expect(message.text).toMatch(/^\*\*Go on beyond the limit of 1 token for this session\?\*\*/);
    expect(ran).toEqual(["x"]);
    await press(message, /go on/i);
    await until(() => platform.textsIn("home").includes("Done."));
  });

  it("ends the turn with a sentence after a no", async () => {
    const { platform, gateway, until, say, asked } = limited({ session: { tokens: 1 } }, [[touch(), { say: "Done." }]]);
    const { host } = await gateway();
    await say("Go");
    await asked(host.store);
    await say("no");
    await until(() => platform.textsIn("home").some((text) => text.includes("/retry")));
    expect(platform.textsIn("home").at(-1)).toMatch(
      /^The limit of 1 token for this session is reached: \d+ tokens were used\. .*\/usage more/,
    );
    expect(platform.textsIn("home")).not.toContain("Done.");
  });

  it("asks operators alone", async () => {
    const { platform, gateway, until, say, asked, press } = limited(
      { person: { tokens: 1 } },
      [[touch(), { say: "Done." }]],
      IN_TEAM,
    );
    const { host } = await gateway();
    await say("Go", toTeam("member"));
    const message = await asked(host.store);
    await press(message, /go on/i, "member");
    await until(() => platform.textsIn("team").some((text) => text.includes("Only an operator")));
    await press(message, /go on/i);
    await until(() => platform.textsIn("team").some((text) => text.includes("Done.")));
  });

  it("refuses a message until /usage more, and /retry asks it again", async () => {
    const { platform, gateway, until, say, model } = limited({ day: { tokens: 1 } }, ["First.", "Second."]);
    await gateway();
    await say("One");
    await until(() => platform.textsIn("home").includes("First."));
    await say("Two");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("The limit of 1 token")));
    expect(model.requests).toHaveLength(1);
    await say("/usage more");
    await until(() => platform.textsIn("home").some((text) => text.startsWith("Beyond the limit of 1 token")));
    await say("/retry");
    await until(() => platform.textsIn("home").includes("Second."));
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain("Two");
  });
});
