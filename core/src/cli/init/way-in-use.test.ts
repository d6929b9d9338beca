import { expect, it } from "vitest";
import type { SetupQuestion, SetupWay } from "../../plugin/plugin-setup.ts";
import { wayInUse } from "./way-in-use.ts";

function way(name: string, more: Partial<SetupWay>, ...options: string[]): SetupWay {
  const questions = options.map((option): SetupQuestion => ({ option, label: option }));
  return { name, title: name, questions, ...more };
}

it("a platform is used by the way whose options are in the config", () => {
  const ways = [way("cloud", { options: { transport: "cloud" } }), way("own", { options: { transport: "own" } })];
  expect(wayInUse(ways, { transport: "own" })?.name).toBe("own");
  expect(wayInUse(ways, { transport: "pigeon" })).toBeUndefined();
});

it("recognises a way without fixed options by the answers in the config", () => {
  const ways = [way("password", {}, "url", "user"), way("token", {}, "url", "token")];
  expect(wayInUse(ways, { url: "u", token: "t" })?.name).toBe("token");
  expect(wayInUse(ways, { url: "u", user: "a" })?.name).toBe("password");
  expect(wayInUse(ways, { url: "u" })?.name).toBe("password");
});
