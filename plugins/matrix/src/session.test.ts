import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BOT, ROOMS } from "./emulator/index.ts";
import { type RunningMatrix, startMatrix } from "./testing/running-matrix.ts";

const WITH_PASSWORD = { accessToken: undefined, user: BOT.userId, password: BOT.password };

let matrix: RunningMatrix;
afterEach(async () => {
  await matrix[Symbol.asyncDispose]();
});

async function hears(text: string): Promise<void> {
  await matrix.emulator.receive({ chatId: ROOMS.encryptedDirect, text });
  await expect.poll(() => matrix.received.at(-1)?.text, { timeout: 15_000 }).toBe(text);
}

describe("an account with a password", { timeout: 20_000 }, () => {
  it("is logged in once, and keeps its session and its keys from then on", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    expect(matrix.calls("login")).toMatchObject([{ initial_device_display_name: "Hermes" }]);
    await hears("one");
    await matrix.restart();
    await hears("two");
    expect(matrix.calls("login")).toHaveLength(1);
  });

  it("is logged in anew when somebody has ended its session, and goes on from where it was", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    await matrix.stop();
    matrix.emulator.signOutBot();
    await matrix.emulator.receive({ chatId: ROOMS.direct, text: "meanwhile" });
    await matrix.restart();
    await expect.poll(() => matrix.received.at(-1)?.text).toBe("meanwhile");
    expect(matrix.calls("login")).toHaveLength(2);
    await hears("two");
  });

  it("with the wrong one is refused", async () => {
    const refused = startMatrix({ ...WITH_PASSWORD, password: "another" });
    await expect(refused).rejects.toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
    matrix = await startMatrix();
  });

  it("has neither password nor token in the log", async () => {
    matrix = await startMatrix(WITH_PASSWORD);
    await hears("one");
    const kept = readFileSync(join(matrix.folder, "matrix.db-wal"), "latin1");
    const [, token = "?"] = /"accessToken":"([^"]+)"/.exec(kept) ?? [];
    expect(token.length).toBeGreaterThan(10);
    const logged = matrix.logged.join("\n");
    expect(logged).not.toContain(token);
    expect(logged).not.toContain(BOT.password);
  });
});
