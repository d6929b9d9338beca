import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CHANNEL, type DiscordEmulator, PERSON, startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HERMES_BIN, type HermesMachine } from "../support/hermes-process.ts";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let discord: DiscordEmulator;
let machine: HermesMachine;

beforeEach(async () => {
  model = await startModel();
  discord = await startDiscordEmulator();
  const homeChannel = { shared: true, chatId: CHANNEL.general };
  const options = { ...discord.options, homeChannel, allowedUsers: [PERSON.id], requireMention: false };
  machine = machineWith(model, { plugins: [["@hermes/plugin-discord", options]] });
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await discord.close();
  await model.close();
});

/** What the bot said in the channel. */
const answers = () => {
  const messages = discord.messages(CHANNEL.general).filter(({ author }) => author === "bot");
  return messages.map(({ text }) => text).filter((text) => text.startsWith("Answer to:"));
};

async function ask(text: string): Promise<void> {
  await discord.receive({ chatId: CHANNEL.general, text });
  await machine.until(() => answers().some((answer) => answer.includes(text)), `the answer to ${text}`);
}

it("after a restore, nothing that was answered since the backup is answered again", async () => {
  const first = await machine.startGateway();
  await ask("Before the backup");
  // Also while the gateway runs.
  const file = join(machine.folder, "backup.tar.gz");
  expect(await machine.run("backup", file)).toMatchObject({ code: 0, stderr: "" });
  await ask("Since the backup");
  expect((await machine.run("restore", file, "--yes")).stderr).toContain("is in use by another process");
  first.kill("SIGTERM");
  await first.exited();
  // Nobody listens: the history of the channel alone tells of it, and the places of the backup are before it.
  await discord.receive({ chatId: CHANNEL.general, text: "While nobody listened" });
  expect(await machine.run("restore", file, "--yes", "--with-plugins")).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(join(machine.home, "store", "hermes.db"))).toBe(true);

  await machine.startGateway();
  await ask("After the restore");
  const texts = discord.messages(CHANNEL.general).map(({ text }) => text);
  expect(texts.filter((text) => text.includes("send again what still needs an answer"))).toHaveLength(1);
  expect((await machine.run("logs")).stdout).toMatch(/a message is not answered: it was written before the backup/);
  expect(answers().map((answer) => /Before|Since|While|After/.exec(answer)?.[0])).toEqual(["Before", "Since", "After"]);
  const { sessions } = await machine.json<{ sessions: readonly { messageCount: number }[] }>("sessions");
  expect(sessions).toHaveLength(1);
});

it("a restore that is killed at any moment leaves the old home or the new one", async () => {
  await begin(machine, "In the backup");
  const file = join(machine.folder, "backup.tar.gz");
  await machine.run("backup", file);
  await begin(machine, "Since the backup");
  const outcomes = new Set<string>();
  // The last one is not killed, however long it takes.
  for (const delayMs of [150, 300, 400, 500, 600, 700, 800, 1_000, null]) {
    const restore = machine.start("restore", file, "--yes");
    const killed = delayMs === null ? undefined : setTimeout(() => restore.kill("SIGKILL"), delayMs);
    await restore.exited();
    clearTimeout(killed);
    const { sessions } = await machine.json<{ sessions: readonly { title: string }[] }>("sessions");
    outcomes.add(sessions.map(({ title }) => title).join(", "));
    if (sessions.length === 1) break;
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(["In the backup"]));
  expect(
    [...outcomes].filter((titles) => !["Since the backup, In the backup", "In the backup"].includes(titles)),
  ).toEqual([]);
});

const canMount = spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"]).status === 0;

it.skipIf(!canMount)("a home that is mounted is restored in its place", async () => {
  await begin(machine, "In the backup");
  const file = join(machine.folder, "backup.tar.gz");
  await machine.run("backup", file);
  // As the volume of a container.
  const hermes = `"${process.execPath}" "${HERMES_BIN}"`;
  const script = `mkdir -p "${machine.home}" && mount -t tmpfs -o mode=0700 volume "${machine.home}" && cd "${machine.home}"
    ${hermes} chat -q "Since the backup" > /dev/null
    ${hermes} restore "${file}" --yes --with-plugins 2>&1
    ${hermes} restore "${file}" --yes; ${hermes} sessions
    mv store store.restored; echo '{"aside":"'$(echo "$PWD"/store.before-*)'"}' > store.restored/restored-from.json
    ${hermes} sessions; ls -A`;
  const words = ["--map-root-user", "--mount", "sh", "-c", script];
  const { stdout } = await promisify(execFile)("unshare", words, { env: machine.environment });
  expect(stdout).toMatch(/--with-plugins replaces all of .*, which cannot be renamed/);
  expect(stdout).toMatch(/^The former store is .*\/home\/store\.before-\d+-\d+; delete it/m);
  // Also where it was killed when the former store was out of the way.
  expect(stdout.match(/In the backup/g)).toHaveLength(2);
  expect(stdout).not.toContain("Since the backup");
  expect(stdout).not.toContain(".restoring");
});
