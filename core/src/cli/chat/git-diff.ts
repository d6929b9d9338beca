import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ownVariables } from "../../tools/shell/shell-variables.ts";

const run = promisify(execFile);

/** What a repository's config says of them names programs: hooks, and what watches its folder. */
const NO_PROGRAMS = { "core.fsmonitor": "false", "core.hooksPath": "/dev/null", "safe.bareRepository": "explicit" };

/** A lost object is not fetched, by whichever program the repository names for that. `none` is no protocol. */
const NO_FETCH = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/** Submodules have a config of their own: their files are not looked at. */
const PLAINLY = ["--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--ignore-submodules=dirty"];

/**
 * What differs in a folder from git's last commit, and which files are not in git, in lines. Null where there is no git, no
 * repository, or one without a commit. What a repository's own settings would run is not run: nobody has trusted it.
 */
export async function gitDiff(cwd: string, environment: NodeJS.ProcessEnv): Promise<string[] | null> {
  const own = { ...ownVariables(environment), ...NO_FETCH, GIT_OPTIONAL_LOCKS: "0" };
  const git = async (settings: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const env = withSettings(own, settings);
    return (await run("git", args, { cwd, env, maxBuffer: 50_000_000, timeout: 20_000 })).stdout;
  };
  try {
    const settings = {
      ...NO_PROGRAMS,
      ...withoutFilters(await git(NO_PROGRAMS, "config", "--list", "--name-only", "-z")),
    };
    const changed = await git(settings, "diff", ...PLAINLY, "HEAD", "--", ".");
    const unknown = await git(settings, "ls-files", "--others", "--exclude-standard", "--", ".");
    return [...linesOf(changed), ...linesOf(unknown).map((file) => `── new, and not in git: ${file}`)];
  } catch {
    return null;
  }
}

/** By the environment, since the name of a filter may hold whatever ends one on a command line. */
function withSettings(environment: NodeJS.ProcessEnv, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const first = Number(environment.GIT_CONFIG_COUNT) || 0;
  const entries = Object.entries(settings);
  const named = entries.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${first + at}`, name],
    [`GIT_CONFIG_VALUE_${first + at}`, value],
  ]);
  return { ...environment, ...Object.fromEntries(named), GIT_CONFIG_COUNT: `${first + entries.length}` };
}

/**
 * The settings by which no filter runs: they read each file that may have changed. Those of the person are left out, too,
 * since a repository's settings tell them what to run.
 */
function withoutFilters(names: string): Record<string, string> {
  const filters = names.split("\0").flatMap((name) => /^(filter\..+)\.[^.]+$/s.exec(name)?.[1] ?? []);
  const off = filters.map((filter) => [`${filter}.clean`, `${filter}.process`, `${filter}.required`]);
  return Object.fromEntries(off.flat().map((name) => [name, name.endsWith(".required") ? "false" : ""]));
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line, at, all) => line !== "" || at < all.length - 1);
}
