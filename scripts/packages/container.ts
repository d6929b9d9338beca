import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expand, listIn, readContainerfile } from "./containerfile.ts";
import type { Outcome, Project } from "./project.ts";
import { type Case, DATA, expectIn } from "./using.ts";

const CONTAINERFILE = resolve(import.meta.dirname, "../../Containerfile");

/** How long a gateway may take to be healthy, or to end, in seconds. */
const PATIENCE_S = 90;

/** Whether processes can be given another user, and a table of processes of their own. */
const IS_ROOT = process.getuid?.() === 0;

/**
 * What a Containerfile says, carried out without an engine: its folders lie below a folder of their own, its base is this
 * machine, and its first process is the first one of a table of processes where the machine lets us make one.
 */
class Image {
  readonly #project: Project;
  readonly #root: string;
  readonly #environment: Record<string, string> = {};
  #user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  #folder = "/";
  #volume = "/";
  #entrypoint: readonly string[] = [];
  #command: readonly string[] = [];
  #healthCheck: readonly string[] = [];

  constructor(project: Project, root: string) {
    this.#project = project;
    this.#root = root;
    mkdirSync(join(root, "opt"), { recursive: true });
    this.#environment = { PATH: project.path, HOME: join(root, "home") };
  }

  get volume(): string {
    return this.#inRoot(this.#volume);
  }

  async build(given: Readonly<Record<string, string>>): Promise<void> {
    const values: Record<string, string> = {};
    for (const { instruction, text } of readContainerfile(readFileSync(CONTAINERFILE, "utf8")).steps) {
      const assigned = /^(\w+)=(.*)$/.exec(text);
      const [, name = "", value = ""] = assigned ?? [];
      if (instruction === "ARG") values[name] = given[name] ?? value.replaceAll('"', "");
      if (instruction === "ENV") this.#environment[name] = this.#inRoot(expand(value, this.#environment));
      if (instruction === "RUN") await this.#build(text, values);
      if (instruction === "USER") this.#user = this.#userIn(text);
      if (instruction === "WORKDIR") this.#folder = text;
      if (instruction === "VOLUME") this.#volume = text;
      if (instruction === "ENTRYPOINT") this.#entrypoint = listIn(text);
      if (instruction === "CMD") this.#command = listIn(text);
      if (instruction === "HEALTHCHECK") this.#healthCheck = listIn(text);
    }
  }

  /** Starts its command in a container. */
  start(): Container {
    return new Container([...this.#entrypoint, ...this.#command], this.#options(), this.#user);
  }

  /** The health check, in a container that runs; in one of its own without. */
  health(container?: Container): Promise<Outcome> {
    return this.#run(this.#healthCheck, container);
  }

  /** `docker exec` of its command with other arguments. */
  hermes(container: Container, ...args: string[]): Promise<Outcome> {
    return this.#run([...this.#entrypoint, ...args], container);
  }

  /** Puts a file into the volume, as its user would. */
  write(name: string, content: object): void {
    const path = join(this.volume, name);
    writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
    chownSync(path, this.#user.uid, this.#user.gid);
  }

  #run(command: readonly string[], container?: Container): Promise<Outcome> {
    const [program = "", ...args] = container?.inside(command) ?? asUser(command, this.#user);
    return this.#project.run(program, args, this.#environment, this.#options().cwd);
  }

  async #build(text: string, values: Readonly<Record<string, string>>): Promise<void> {
    // What an image forgets, such as npm's cache, is not this machine's.
    const environment = { ...this.#environment, ...values, npm_config_cache: join(this.#root, "cache") };
    const command = this.#inRoot(IS_ROOT ? text : text.replaceAll(/\b1000\b/g, String(this.#user.uid)));
    const { code, text: said } = await this.#project.run("sh", ["-ec", command], environment);
    if (code !== 0) throw new Error(`RUN ${text} ended with ${code}:\n${said}`);
  }

  #options() {
    return { cwd: this.#inRoot(this.#folder), env: this.#environment };
  }

  #userIn(text: string): { uid: number; gid: number } {
    const [uid = 0, gid = uid] = text.split(":").map(Number);
    return IS_ROOT ? { uid, gid } : this.#user;
  }

  /** The folders of the image that are its own. */
  #inRoot(text: string): string {
    return text.replaceAll(/(?<![\w./-])\/(?=(?:opt|data)\b)/g, `${this.#root}/`);
  }
}

/** A process that is the first of its table of processes, where that can be had. */
class Container {
  readonly #process: ChildProcess;
  readonly #user: { readonly uid: number; readonly gid: number };
  readonly #ended: Promise<unknown[]>;
  #said = "";

  constructor(command: readonly string[], options: object, user: { readonly uid: number; readonly gid: number }) {
    this.#user = user;
    const isolated = IS_ROOT ? ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] : [];
    const [program = "", ...args] = [...isolated, ...asUser(command, user)];
    this.#process = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#process, "exit");
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.on("data", (data) => {
        this.#said += data;
      });
    }
  }

  get said(): string {
    return this.#said;
  }

  /** A command that runs beside the first process. */
  inside(command: readonly string[]): readonly string[] {
    if (!IS_ROOT) return command;
    return ["nsenter", "--target", String(this.#first), "--pid", "--mount", "--wd", ...asUser(command, this.#user)];
  }

  /** Sends a signal to the first process. The code with which it ends. */
  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<unknown> {
    process.kill(this.#first, signal);
    const patience = delay(PATIENCE_S * 1_000, undefined, { ref: false }).then(() => ["it did not end"]);
    const [code] = await Promise.race([this.#ended, patience]);
    return code;
  }

  /** Its id on this machine. */
  get #first(): number {
    const { pid = 0 } = this.#process;
    if (!IS_ROOT) return pid;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);
  }
}

function asUser(command: readonly string[], { uid, gid }: { readonly uid: number; readonly gid: number }) {
  return IS_ROOT ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...command] : command;
}

export const CONTAINER: Case = {
  name: "the Containerfile, without an engine",
  async run(project) {
    const root = join(dirname(project.folder), "image");
    mkdirSync(root);
    // The image's user is none of this machine's, and has to get there.
    for (const folder of [dirname(dirname(root)), dirname(root)]) chmodSync(folder, 0o711);
    const image = new Image(project, root);
    await image.build({ PLUGINS: "@hermes/plugin-telegram" });
    image.write("hermes.config.json", DATA);
    expectCode(await image.health(), 1);

    const first = image.start();
    await healthy(image, first);
    expectIn((await image.hermes(first, "plugins")).text, "telegram  @hermes/plugin-telegram@");
    expectCode(await image.hermes(first, "chat", "-q", "Where do we stand?", "--json"), 0);
    expectCode(await image.hermes(first, "handoff", "web", "--session", "1"), 0);
    expectIn(`ended with ${await first.stop("SIGTERM")}\n${first.said}`, /^ended with 0$/m);
    expectCode(await image.health(), 1);

    // What is in the volume is there in the next container, and one that was killed keeps nothing from another.
    const second = image.start();
    await healthy(image, second);
    expectIn((await image.hermes(second, "sessions")).text, /Where do we stand[\s\S]*on web/);
    await second.stop("SIGKILL");
    const third = image.start();
    await healthy(image, third);
    expectIn(`ended with ${await third.stop("SIGTERM")}\n${third.said}`, /^ended with 0$/m);
  },
};

async function healthy(image: Image, container: Container): Promise<void> {
  for (let second = 0; second < PATIENCE_S; second += 1) {
    const isHealthy = await image.health(container).then(
      ({ code }) => code === 0,
      () => false,
    );
    if (isHealthy) return;
    await delay(1_000);
  }
  throw new Error(`the container is not healthy: ${(await image.health(container)).text}\n${container.said}`);
}

function expectCode({ code, text }: Outcome, wanted: number): void {
  if (code !== wanted) throw new Error(`expected the exit code ${wanted}, got ${code}:\n${text}`);
}
