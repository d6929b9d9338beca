import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/**
 * Files that say what may run: whoever writes one gives out rights. Names are compared without regard to case, as some
 * file systems do.
 */
const CONTROL: readonly RegExp[] = [
  /(?:^|\/)hermes\.config\.[^/]*$/,
  /(?:^|\/)\.env[^/]*$/,
  /(?:^|\/)\.mcp\.json$/,
  /(?:^|\/)(?:agents|claude|gemini)(?:\.local)?\.md$/,
  /(?:^|\/)\.git(?:\/(?:config|hooks|info|modules|worktrees)(?:\/.*)?)?$/,
  /(?:^|\/)\.git(?:modules|attributes|config)$/,
  /(?:^|\/)skills(?:\/.*)?$/,
  /(?:^|\/)\.(?:vscode|idea|claude|cursor|codex|gemini|zed|github|hermes|husky|devcontainer)(?:\/.*)?$/,
  /(?:^|\/)\.(?:envrc|npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs|cursorrules|windsurfrules)$/,
  /(?:^|\/)\.(?:bash\w*|zsh\w*|zprofile|zlogin|profile|inputrc|vimrc|netrc)$/,
];

/** Files whose words are nobody else's: keys and credentials. */
const SECRET: readonly RegExp[] = [
  /(?:^|\/)\.env[^/]*$/,
  /(?:^|\/)\.git\/config$/,
  /(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|netrc|pgpass|pypirc|git-credentials|htpasswd|dockercfg)$/,
  /(?:^|\/)\.(?:ssh|gnupg|aws|azure|kube|docker|gcloud|password-store)(?:\/.*)?$/,
  /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg|age|ppk|tfstate)$/,
  /(?:^|\/)(?:[\w.-]*[._-])?(?:credentials?|secrets?|service[-_]?account)[\w-]*(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
];

/** Whether a file says what may run. Of a path within `directory`, only the part below it counts. */
export function isControlFile(path: string, directory: string): boolean {
  return isNamed(CONTROL, path, directory);
}

export function isSecretFile(path: string, directory: string): boolean {
  return isNamed(SECRET, path, directory);
}

function isNamed(patterns: readonly RegExp[], path: string, directory: string): boolean {
  const seen = (isWithin(directory, path) ? relative(directory, path) : path).split(sep).join("/").toLowerCase();
  return patterns.some((pattern) => pattern.test(seen));
}

/**
 * Whether a file has other names (hard links), which no rule is held against: one of them may be that of a file with keys.
 * Package managers link what they install into `node_modules`; there only the path counts.
 */
export function hasOtherNames(path: string): boolean {
  if (path.split(sep).includes("node_modules")) return false;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.isFile() && stats.nlink > 1;
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
