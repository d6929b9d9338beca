import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../base/errors.ts";
import { readIfThere } from "../../base/kept-json.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { dependenciesIn } from "../../plugin/package-json.ts";
import type { Output } from "../../terminal/output.ts";
import { install, packageManagerOf, uninstall } from "./package-manager.ts";

/** What a project's packages were before they are changed, so that the change can be undone. */
export class PackageChange {
  readonly #folder: string;
  readonly #output: Output;
  readonly #isNew: boolean;
  readonly #files: ReadonlyMap<string, string | null>;
  readonly #dependencies: Readonly<Record<string, string>>;

  /** `isNew`: its package.json was made for this. */
  constructor(folder: string, output: Output, { isNew }: { readonly isNew: boolean }) {
    this.#folder = folder;
    this.#output = output;
    this.#isNew = isNew;
    const files = [join(folder, "package.json"), ...packageManagerOf(folder).lockFiles];
    this.#files = new Map(files.map((file) => [file, readIfThere(file)]));
    this.#dependencies = dependenciesIn(folder);
  }

  /** The packages that package.json names otherwise than before. */
  changed(): string[] {
    return Object.entries(dependenciesIn(this.#folder)).flatMap(([name, spec]) =>
      this.#dependencies[name] === spec ? [] : name,
    );
  }

  /**
   * Takes out what was installed, puts back what `versions` names as `name@version`, and the project's files as they were.
   * Never throws: what could not be undone is said.
   */
  async undo(versions: readonly string[] = []): Promise<void> {
    const added = this.changed().filter((name) => this.#dependencies[name] === undefined);
    const replaced = this.changed().filter((name) => this.#dependencies[name] !== undefined);
    const former = [
      ...versions,
      ...replaced
        .filter((name) => !versions.some((one) => one.startsWith(`${name}@`)))
        .map((name) => `${name}@${this.#dependencies[name]}`),
    ];
    try {
      if (added.length > 0) await uninstall(this.#folder, added, this.#output);
      if (former.length > 0) await install(this.#folder, former, this.#output);
      this.#restoreFiles();
    } catch (error) {
      this.#output.note(
        `${[...added, ...former].join(", ")} could not be undone in ${this.#folder}: ${reasonOf(error)}.`,
      );
    }
  }

  #restoreFiles(): void {
    for (const [file, text] of this.#files)
      if (text !== null && readIfThere(file) !== text)
        replaceFile(file, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644 });
    for (const file of packageManagerOf(this.#folder).lockFiles)
      if (!this.#files.has(file)) rmSync(file, { force: true });
    if (!this.#isNew) return;
    for (const name of ["package.json", "node_modules"]) {
      const path = join(this.#folder, name);
      if (existsSync(path)) rmSync(path, { recursive: true, force: true });
    }
  }
}
