import { existsSync, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * Files that say what may run: whoever writes one gives out rights. Names are compared without regard to case, as some
 * file systems do, for which a long s (ſ) is an s.
 */
const CONTROL: readonly RegExp[] = [
  /(?:^|\/)hermes\.config\.[^/]*$/,
  /(?:^|\/)\.env[^/]*$/,
  /(?:^|\/)\.mcp\.json$/,
  /(?:^|\/)(?:agents|claude|gemini)(?:\.local)?\.md$/,
  /(?:^|\/)\.git(?:\/.*)?$/,
  /(?:^|\/)\.git(?:modules|attributes|config)$/,
  /(?:^|\/)skills(?:\/.*)?$/,
  /(?:^|\/)\.(?:vscode|idea|claude|cursor|codex|gemini|zed|github|hermes|husky|cargo|mise)(?:\/.*)?$/,
  /(?:^|\/)\.devcontainer(?:[^/]*|\/.*)$/,
  /\.code-workspace$/,
  /(?:^|\/)\.pre-commit-config\.ya?ml$/,
  /(?:^|\/)\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
  /(?:^|\/)(?:\.?mise(?:\.[^/]*)?\.toml|mise\/config(?:\.[^/]*)?\.toml)$/,
  /(?:^|\/)\.(?:envrc|npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs|cursorrules|windsurfrules|bazelrc|mailcap)$/,
  /(?:^|\/)\.(?:bash\w*|zsh\w*|zprofile|zlogin|profile|inputrc|vimrc|netrc|xprofile|xinitrc|xsession(?:rc)?)$/,
  /(?:^|\/)\.(?:gdbinit|lldbinit|exrc|nvimrc|nvim\.lua|dir-locals\.el|screenrc|tmux\.conf)$/,
  /(?:^|\/)\.(?:psqlrc|sqliterc|rprofile|irbrc|pryrc|pdbrc|rspec)$/,
  /(?:^|\/)\.config\/(?:autostart|systemd|environment\.d|git|fish|nvim|mise)(?:\/.*)?$/,
  /(?:^|\/)(?:\.ssh|library\/launchagents)(?:\/.*)?$/,
];

/** What says what git runs, or leads to it, in a folder with a `HEAD`. */
const OF_REPOSITORY = new Set([
  "config",
  "config.worktree",
  "commondir",
  "gitdir",
  "hooks",
  "info",
  "modules",
  "worktrees",
]);

/** Files whose words are nobody else's: keys and credentials. */
const SECRET: readonly RegExp[] = [
  /(?:^|\/)\.env[^/]*$/,
  /(?:^|\/)\.git\/(?:.*\/)?config(?:\.worktree)?$/,
  /(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|netrc|pgpass|pypirc|git-credentials|htpasswd|dockercfg)$/,
  /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|gcloud|password-store)(?:\/.*)?$/,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|age|ppk|tfstate)$/,
  /(?:^|\/)(?:[\w.-]*[._-])?(?:credentials?|secrets?|service[-_]?account)[\w-]*(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
];

/**
 * What Linux shows of processes: the variables, the memory and the open files of Hermes hold its secrets, and nothing
 * redacts them in pieces. All but what any list of processes shows; and `/proc` itself, for programs that walk it.
 */
const OF_PROCESS =
  /^\/proc(?:\/(?:\d+|self|thread-self|[^/]+(?=\/(?:environ|mem|maps|fd|root|cwd|task)))(?:\/(?!(?:comm|cmdline|stat|statm|status|limits|cgroup|io|mounts|mountinfo|net\/.*)$).*)?|\/kcore)?\/?$/;

/** Whether a file says what may run. Of a path within `directory`, only the part below it counts. */
export function isControlFile(path: string, directory: string): boolean {
  return isNamed(CONTROL, path, directory) || isHead(path) || isOfRepository(path, directory);
}

/** What git takes for a repository, whatever its folder is called; a folder of that name makes none. */
function isHead(path: string): boolean {
  if (basename(path).toLowerCase() !== "head") return false;
  const isFolder = statsAt(path)?.isDirectory() ?? false;
  return !isFolder || mayBeRepository(dirname(path));
}

/** Whether a folder has a config as a repository has one, which is a file. */
export function mayBeRepository(folder: string): boolean {
  const config = statsAt(join(folder, "config"));
  return config !== null && !config.isDirectory();
}

/** Whether a file says what git runs in a folder that it takes for a repository, though it is not called `.git`. */
function isOfRepository(path: string, directory: string): boolean {
  for (let at = path; dirname(at) !== at; at = dirname(at)) {
    const folder = dirname(at);
    if (OF_REPOSITORY.has(basename(at).toLowerCase()) && existsSync(join(folder, "HEAD"))) return true;
    if (folder === directory) return false;
  }
  return false;
}

export function isSecretFile(path: string, directory: string): boolean {
  return isNamed(SECRET, path, directory) || OF_PROCESS.test(path);
}

function isNamed(patterns: readonly RegExp[], path: string, directory: string): boolean {
  const seen = (isWithin(directory, path) ? relative(directory, path) : path)
    .split(sep)
    .join("/")
    // Editors leave a copy so.
    .replace(/(?:\.~\d+~|~+)$/, "")
    .toUpperCase()
    .toLowerCase();
  return patterns.some((pattern) => pattern.test(seen));
}

/**
 * Whether a file has other names (hard links), which no rule is held against: one of them may be that of a file with keys.
 * Package managers link what they install into `node_modules`; there only the path counts.
 */
export function hasOtherNames(path: string): boolean {
  if (path.split(sep).includes("node_modules")) return false;
  const stats = statsAt(path);
  return stats?.isFile() === true && stats.nlink > 1;
}

/** Whether a path is a folder itself, or below it. Both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Where a path leads once every link on its way is followed; what is not there yet stays as it is written. */
export function realTarget(path: string, depth = 0): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || depth > 200) return path;
    const real = realTarget(parent, depth + 1);
    // A link to nothing is followed by whoever writes to it.
    const target = linkAt(path);
    return target === null ? join(real, basename(path)) : realTarget(resolve(real, target), depth + 1);
  }
}

/** Where a program comes by a path: `link/..` is the folder above where the link leads, and `~` a name like others. */
export function whereItLeads(path: string, folder: string): string {
  return realTarget(isAbsolute(path) ? path : `${folder}${sep}${path}`);
}

/** What a path in a command may be: as it is written, where its links lead, and both for a `~` that nobody expands. */
export function everyTarget(path: string, folder: string): ReadonlySet<string> {
  const written = absolutePath(path, folder);
  if (path.startsWith("~") || path.split("/").includes(".."))
    return new Set([written, realTarget(written), whereItLeads(path, folder)]);
  // Most words are no paths: where their first part is not there, there is no link to follow.
  const start = resolve(folder, /^\/*[^/]*/.exec(path)?.[0] ?? "");
  return new Set(existsSync(start) || linkAt(start) !== null ? [written, realTarget(written)] : [written]);
}

/** Of a link itself; null for what is not there, and for a name that no file could have. */
export function statsAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** A path from a call or a rule, as an absolute one: `~/` is the person's home, the rest begins at `directory`. */
export function absolutePath(path: string, directory: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  return resolve(directory, path);
}
