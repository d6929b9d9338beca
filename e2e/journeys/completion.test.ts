import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { ModelServer } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HERMES_BIN, type HermesMachine } from "../support/hermes-process.ts";
import { begin } from "../support/journey.ts";
import { machineWith, startModel } from "../support/model.ts";

let model: ModelServer;
let machine: HermesMachine;
beforeEach(async () => {
  model = await startModel();
  machine = machineWith(model);
  const bin = join(machine.folder, "bin");
  mkdirSync(bin);
  // In a PATH of its own, as npm puts it there; `args` shows what a shell made of a line.
  writeFileSync(join(bin, "hermes"), `#!/bin/sh\nexec '${process.execPath}' '${HERMES_BIN}' "$@"\n`);
  writeFileSync(join(bin, "args"), `#!/bin/sh\nprintf '<%s>' "$@"; echo ' done'\n`);
  for (const name of ["hermes", "args"]) chmodSync(join(bin, name), 0o755);
  machine.environment.PATH = `${bin}:${process.env.PATH}`;
});
afterEach(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

/** A shell in a terminal, where keys are pressed. */
class ShellWindow implements Disposable {
  readonly #child: ReturnType<typeof spawn>;
  #written = "";
  #seen = 0;

  constructor(command: string) {
    const env = { ...machine.environment, TERM: "xterm", HISTFILE: "/dev/null" };
    this.#child = spawn("script", ["-qec", command, "/dev/null"], { cwd: machine.folder, env, stdio: "pipe" });
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#written += text;
    });
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  async says(pattern: RegExp): Promise<void> {
    const text = () => stripVTControlCharacters(this.#written).slice(this.#seen);
    await machine
      .until(() => pattern.test(text()), `${pattern}`)
      .catch((error: Error) => Promise.reject(new Error(`${error.message}: ${this.#written}`)));
    this.#seen += (pattern.exec(text())?.index ?? 0) + (pattern.exec(text())?.[0].length ?? 0);
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL");
  }
}

const EVIL = '$(touch evil) `touch evil` "it\'s"';

it("bash completes a command and a session's title, and runs nothing of it", async () => {
  await begin(machine, "Something");
  await machine.run("sessions", "title", "1", EVIL);
  const bashrc = join(machine.folder, "bashrc");
  writeFileSync(
    bashrc,
    "PS1='> '\nbind 'set enable-bracketed-paste off'\nsource <(hermes completion bash)\necho ready\n",
  );
  using shell = new ShellWindow(`bash --rcfile '${bashrc}' -i`);
  await shell.says(/ready/);
  shell.press("hermes resu\t");
  await shell.says(/hermes resume /);
  shell.press("$\t");
  await shell.says(/evil/);
  // The same line, for a program that only shows what it gets.
  shell.press("\u0001args \r");
  await shell.says(/<hermes><resume><\$\(touch evil\) `touch evil` "it's"> done/);
  expect(existsSync(join(machine.folder, "evil"))).toBe(false);
});

it("zsh completes a command and a session's title, and runs nothing of it", async () => {
  await begin(machine, "Something");
  await machine.run("sessions", "title", "1", EVIL);
  const zshrc = join(machine.folder, ".zshrc");
  writeFileSync(zshrc, "PS1='> '\nautoload -U compinit; compinit -u\nsource <(hermes completion zsh)\necho ready\n");
  machine.environment.ZDOTDIR = machine.folder;
  using shell = new ShellWindow("zsh -i");
  await shell.says(/ready/);
  shell.press("hermes resu\t");
  await shell.says(/hermes resume /);
  shell.press("\\$\t");
  await shell.says(/evil/);
  shell.press("\u0001args \r");
  await shell.says(/<hermes><resume><\$\(touch evil\) `touch evil` "it's"> done/);
  expect(existsSync(join(machine.folder, "evil"))).toBe(false);
});

it("fish completes a command and a session's title", async () => {
  await begin(machine, "Something");
  await machine.run("sessions", "title", "1", EVIL);
  const run = async (line: string) => {
    const child = spawn("fish", ["--no-config", "-c", `hermes completion fish | source; complete -C ${line}`], {
      cwd: machine.folder,
      env: machine.environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    for await (const text of child.stdout.setEncoding("utf8")) said += text;
    return said;
  };
  expect(await run("'hermes resu'")).toMatch(/^resume\t/m);
  expect(await run("'hermes resume '")).toContain("touch evil");
  expect(existsSync(join(machine.folder, "evil"))).toBe(false);
});
