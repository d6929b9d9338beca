import { basename } from "node:path";
import { isShellWord, isWrapper } from "./wrappers.ts";

/** What of a program's words a star in an allow rule does not stand for: they write files or run programs. */
interface StarLimits {
  /** Options of one letter, wherever they stand among others: `-xvf`. */
  readonly letters?: string;
  /** Options by their long names, shortened ones and longer ones included. */
  readonly long?: readonly string[];
  readonly words?: RegExp;
  /** What its first operand, a script, has to be. */
  readonly script?: RegExp;
  /** Reads its program from what is piped in where no file is named. */
  readonly isInterpreter?: boolean;
  /** Writes nothing and runs nothing with other words than those. */
  readonly onlyReads?: boolean;
}

const NONE: StarLimits = {};
const READER = { onlyReads: true };
const INTERPRETER = { isInterpreter: true, words: /^-$|^\/(?:dev|proc)\// };

/** For a program that has no line of its own below. */
const USUAL: StarLimits = {
  letters: "cCeox",
  long: [
    "output",
    "out",
    "exec",
    "eval",
    "command",
    "config",
    "to-command",
    "use-compress-program",
    "pager",
    "plugin",
  ].concat(["write", "fix", "in-place", "inplace"]),
};

const GIT: StarLimits = {
  letters: "cCoOxu",
  long: [
    ...[
      "output",
      "exec",
      "git-dir",
      "work-tree",
      "namespace",
      "config",
      "paginate",
      "ext-diff",
      "textconv",
      "template",
    ],
    ...[
      "open-files-in-pager",
      "upload-pack",
      "receive-pack",
      "extcmd",
      "tool",
      "edit",
      "strategy",
      "gpg-sign",
      "show-signature",
    ],
  ],
  words:
    /^(?:config|submodule|bisect|filter-branch|difftool|mergetool|hook|daemon|instaweb|for-each-repo|maintenance|send-email|shell|gui|credential.*|remote-.*|web--browse|upload-pack|upload-archive|receive-pack|p4|svn)$|ext::/,
};

const NPM: StarLimits = {
  letters: "cCpe",
  long: [
    "call",
    "script-shell",
    "node-options",
    "prefix",
    "userconfig",
    "globalconfig",
    "shell",
    "editor",
    "viewer",
  ].concat(["browser", "git", "package", "dir", "cwd", "shell-emulator", "config", "eval", "preload"]),
  words: /^(?:exec|x|dlx|node|explore|edit|config|set|c|init|create|innit|run-script|plugin|env)$/,
};

const TAR: StarLimits = {
  letters: "IFxcruAC",
  long: [
    ...["to-command", "use-compress-program", "checkpoint-action", "info-script", "new-volume-script", "rsh-command"],
    ...[
      "rmt-command",
      "extract",
      "get",
      "create",
      "append",
      "update",
      "delete",
      "directory",
      "index-file",
      "remove-files",
    ],
    ...["listed-incremental", "volno-file", "catenate", "concatenate"],
  ],
  // Options without their dash, and a file on another machine.
  words: /^[A-Za-z]*[IFxcruA][A-Za-z]*$|:/,
};

/** A script of sed that only prints, deletes or replaces: no file is read or written, nothing is run. */
const SED_SCRIPT = String.raw`(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]|s\/[^/\\\n]*\/[^/\\\n]*\/[gip\d]*`;
const SED: StarLimits = {
  letters: "ife",
  long: ["in-place", "file", "expression"],
  script: new RegExp(`^(?:${SED_SCRIPT})$`),
};

const AWK: StarLimits = {
  letters: "fEileodDpW",
  long: ["file", "exec", "include", "load", "source", "dump-variables", "debug", "pretty-print", "profile"],
  words: /system|getline|[|>@]|ENVIRON|close|^\w+=/,
};

const FIND: StarLimits = { ...READER, words: /^-(?:exec|ok|delete|fprint|fls|files0-from)/ };

const PROGRAMS: Readonly<Record<string, StarLimits>> = {
  git: GIT,
  ...same(NPM, "npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx"),
  ...same(TAR, "tar", "bsdtar", "gtar"),
  ...same(SED, "sed", "gsed"),
  ...same(AWK, "awk", "gawk", "mawk", "nawk"),
  find: FIND,
  ...same({ ...READER, letters: "xX", long: ["exec"] }, "fd", "fdfind"),
  rg: { ...READER, letters: "z", long: ["pre", "hostname-bin", "search-zip"] },
  ...same({ letters: "oT", long: ["output", "compress-program", "temporary-directory"] }, "sort"),
  ...same({ letters: "o", long: ["output"] }, "shuf", "iconv", "jq"),
  tree: { letters: "oR", long: ["output"] },
  yq: { letters: "ois", long: ["output", "inplace", "in-place", "split"] },
  ...same({ letters: "s", long: ["set"] }, "date"),
  ...same({ letters: "CmzZ", long: ["compile", "magic-file", "uncompress"] }, "file"),
  ...same({ words: /^[^-]/ }, "uniq", "xxd"),
  ...same(
    { letters: "fCEIoWe", long: ["file", "makefile", "directory", "eval", "include-dir"], words: /=/ },
    "make",
    "gmake",
  ),
  ...same(
    {
      ...INTERPRETER,
      letters: "epricCIdESnmMxl",
      long: [
        "eval",
        "print",
        "require",
        "import",
        "loader",
        "experimental-loader",
        "inspect",
        "run",
        "env-file",
      ].concat([
        ...["openssl-config", "interactive", "prof", "cpu-prof", "heap-prof", "trace-event", "diagnostic-dir"],
        ...["redirect-warnings", "report", "build-snapshot", "test-reporter", "config"],
      ]),
    },
    ...["node", "nodejs", "deno", "python", "python2", "python3", "perl", "ruby", "php", "lua", "luajit", "rscript"],
    ...["osascript", "tsx", "ts-node", "tclsh", "guile", "jshell", "ghci", "irb", "psql", "mysql", "sqlite3", "r"],
  ),
  ...same(
    {
      letters: "oOKcDTdFEJjexXubCwqPi",
      long: [
        "output",
        "remote",
        "config",
        "cookie-jar",
        "dump-header",
        "upload-file",
        "data",
        "form",
        "trace",
        "stderr",
      ].concat([
        ...[
          "json",
          "etag-save",
          "hsts",
          "alt-svc",
          "libcurl",
          "engine",
          "use-askpass",
          "execute",
          "post",
          "body",
          "method",
        ],
        ...[
          "warc",
          "save",
          "rejected-log",
          "append",
          "input-file",
          "directory-prefix",
          "request",
          "proxy",
          "netrc",
          "url",
        ],
        ...["create-dirs", "variable", "next", "unix-socket"],
      ]),
    },
    ...["curl", "wget"],
  ),
  ...same(
    { letters: "oeSPFJ", long: ["rsh", "rsync-path", "log-file", "daemon", "write-batch"] },
    "ssh",
    "scp",
    "sftp",
    "rsync",
  ),
  cargo: { letters: "ZC", long: ["config", "manifest-path", "target-dir"], words: /^(?:run|r|install|script)$|^\+/ },
  go: {
    words:
      /^-{1,2}(?:exec|toolexec|o|C|overlay|modfile|vettool|fuzz|\w*prof\w*|trace)|^(?:run|generate|tool|env|install)$/,
  },
  // Of a variable's name in brackets, bash works out what stands in them.
  test: { onlyReads: true, words: /^-[vR]$|[[$`]/ },
  ...same(NONE, "rm", "mkdir", "touch"),
  ...same(
    READER,
    "ls",
    "cat",
    "head",
    "wc",
    "cut",
    "tr",
    "grep",
    "egrep",
    "fgrep",
    "echo",
    "pwd",
    "true",
    "false",
    "stat",
  ),
  ...same(READER, "du", "df", "which", "basename", "dirname", "realpath", "readlink", "diff", "cmp", "comm", "tail"),
  ...same(READER, "whoami", "id", "uname", "tac", "nl", "sha256sum", "md5sum", "seq"),
};

function same(limits: StarLimits, ...names: string[]): Record<string, StarLimits> {
  return Object.fromEntries(names.map((name) => [name, limits]));
}

/** Whether a program runs what is piped into it where no file is named. */
export function isInterpreter(program: string): boolean {
  return limitsOf(program).isInterpreter === true;
}

/** Whether a program writes nothing and runs nothing with these words. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  return limitsOf(program).onlyReads === true && beyondStar(program, words, true) === null;
}

/** Whether a program's first operand is the program that it runs. */
export function isRunner(program: string): boolean {
  return ["npx", "bunx", "pnpx", "uvx", "pipx"].includes(program);
}

/**
 * The first of the words that a star in an allow rule does not stand for; null where it stands for all of them.
 * `hasScript`: the rule itself says the program's first operand.
 */
export function beyondStar(program: string, words: readonly string[], hasScript: boolean): string | null {
  const { letters = "", long = [], words: others, script } = limitsOf(program);
  const first = words.find((word) => !word.startsWith("-"));
  if (script !== undefined && !hasScript && first !== undefined && !script.test(first)) return first;
  const isBeyond = (word: string): boolean => {
    if (others?.test(word)) return true;
    if (word.startsWith("--")) {
      const name = word.slice(2).split("=")[0] ?? "";
      return name !== "" && long.some((one) => one.startsWith(name) || name.startsWith(one));
    }
    return word.startsWith("-") && [...word].some((letter) => letters.includes(letter));
  };
  return words.find(isBeyond) ?? null;
}

/** A program's name in the tables: `/usr/bin/Python3.11` is `python`. Some file systems have no regard to case. */
export function programOf(word: string): string {
  const name = basename(word.toLowerCase()).replace(/\.exe$/, "");
  const isKnown = Object.hasOwn(PROGRAMS, name) || isWrapper(name) || isShellWord(name);
  return isKnown ? name : name.replace(/-?[\d.]+$/, "");
}

function limitsOf(program: string): StarLimits {
  return Object.hasOwn(PROGRAMS, program) ? (PROGRAMS[program] ?? USUAL) : USUAL;
}
