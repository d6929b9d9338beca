import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { expect, test } from "vitest";
import { createRedactor } from "../base/redact.ts";
import type { SessionId } from "../model/session.ts";
import type { TurnId } from "../model/turn.ts";
import { dropOutputs, pruneOutputs } from "./prune-outputs.ts";
import { TestWorkspace } from "./test-workspace.ts";

const DAY_MS = 24 * 60 * 60_000;

test("outputs go with their session, and those of others after 30 days", async () => {
  using space = new TestWorkspace();
  const clock = createVirtualClock();
  const at = (path: string) => join(space.home, "outputs", path);
  const put = (path: string, days: number) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), "kept");
    const time = (clock.now() - days * DAY_MS) / 1000;
    for (const one of [at(path), dirname(at(path))]) utimesSync(one, time, time);
  };
  put("ses_1/trn_1/1.1", 31);
  put("ses_1/trn_2/1.1", 29);
  put("ses_2/trn_3/1.1", 1);
  const has = async (id: SessionId) => id !== "ses_2";
  await pruneOutputs(space.home, clock, has);
  // The folder has changed just now, so that it stays until the next time.
  expect(["ses_1/trn_1/1.1", "ses_1/trn_2/1.1", "ses_2"].map((path) => existsSync(at(path)))).toEqual([
    ...[false, true, false],
  ]);
  dropOutputs(space.home, "ses_1" as SessionId);
  expect(existsSync(at("ses_1"))).toBe(false);
  await pruneOutputs(join(space.folder, "nowhere"), clock, has);
});

test("a kept output has no secret, and is open to its user alone", async () => {
  const redact = createRedactor(["s3cret-word"]);
  using space = new TestWorkspace({}, { redact });
  const where = space.where({ turnId: "trn_1" as TurnId, callId: "1.1" });
  // The secret lies just where the text for the model is cut.
  const command = "printf 'x%.0s' {1..14495}; printf s3cret-word; printf 'y%.0s' {1..40000}";
  const result = await space.run("shell", { command }, where);
  const file = join(space.home, "outputs", "ses_1", "trn_1", "1.1");
  expect(result).toContain(file);
  expect(result).not.toMatch(/xs3|et-word/);
  expect(readFileSync(file, "utf8")).toMatch(/x\[redacted\]y/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const folder of ["", "/ses_1", "/ses_1/trn_1"]) {
    expect(statSync(join(space.home, `outputs${folder}`)).mode & 0o777).toBe(0o700);
  }
});
