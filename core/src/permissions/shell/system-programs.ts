import { more, NONE, READER, type StarLimits, same } from "./star-limits.ts";

/** Whether git only tells of a patch, or ends what it began with one: otherwise it writes the files that the patch says. */
function isPatchKept([command, ...words]: readonly string[]): boolean {
  if (command === "am") return words.length === 1 && /^--(?:abort|quit|show-current-patch)$/.test(words[0] ?? "");
  const tells = /^--(?:stat|numstat|summary|check)$/;
  return (
    command === "apply" &&
    words.some((word) => tells.test(word)) &&
    words.every((word) => tells.test(word) || !word.startsWith("-"))
  );
}

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
    ...["export-marks", "import-marks", "separate-git-dir", "in-place", "bare", "pathspec-from-file", "stdin"],
  ],
  // Of a clone alone, `-u` is a program.
  harmless: (word, at, words) =>
    word === "-u" ? /^(?:add|push|stash|status|diff|show|log)$/.test(words[0] ?? "") : at === 0 && isPatchKept(words),
  words: /ext::/,
  commands:
    /^(?:config|submodule|bisect|filter-branch|difftool|mergetool|hook|daemon|instaweb|for-each-repo|maintenance|send-email|shell|gui|credential.*|remote-.*|web--browse|upload-pack|upload-archive|receive-pack|p4|svn|cvs\w*|archimport|quiltimport|fast-import|merge-index|filter-repo|citool|http-.*|imap-send|bugreport|diagnose|checkout-index|mailsplit|mailinfo|bundle|apply|am|var)$/,
};

const TAR: StarLimits = {
  letters: "IFxcruACTX",
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
    ...["listed-incremental", "volno-file", "catenate", "concatenate", "files-from", "exclude-from"],
  ],
  own: ["exclude"],
  // Options without their dash, and a file on another machine.
  words: /^[A-Za-z]*[IFxcruATX][A-Za-z]*$|:/,
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

/** Whatever is no plain query: commands of the program, functions that write or load, a second statement, options. */
const SQL =
  /^-|^\s*\.[a-z]+(?:\s|$)|^(?!\s*(?:select|explain)\b).*(?:\s|\/\*)|[|]|;\s*\S|\b(?:load_extension|writefile|readfile|edit|fts3_tokenizer|attach|copy|install|load|into|getenv|read_\w+)\b/is;

const DATABASE: StarLimits = {
  ...more(
    "fvLIrs",
    "eval file execute init-command variable set log-file tee pager plugin-dir load-data nodb shell require",
  ),
  ...{ isInterpreter: true, operands: 1 },
};

/** Options that write, send, or read what is sent from a file. */
const FETCHING: readonly string[] = [
  "output remote config cookie-jar dump-header upload-file data form trace stderr json etag hsts alt-svc libcurl engine",
  "use-askpass execute post body method warc save rejected-log append input-file directory-prefix request proxy netrc url",
  "create-dirs variable next unix-socket abstract-unix-socket write-out",
].flatMap((names) => names.split(" "));
const HEADERS_OF_FILE = /^(?:-\w*H)?@/;

/** Whether `--dry-run` is an option of patch's, rather than the file that the option in front of it names. */
function isDryRun(words: readonly string[]): boolean {
  const at = words.indexOf("--dry-run");
  return at >= 0 && !words.slice(0, at).includes("--") && /^(?:[^-].*|-p\d+|-[NRfstEu]+)?$/s.test(words[at - 1] ?? "");
}

/** Programs of the system, and those that read and change files. */
export const SYSTEM_PROGRAMS: Readonly<Record<string, StarLimits>> = {
  git: GIT,
  ...same(TAR, "tar", "bsdtar", "gtar"),
  ...same(SED, "sed", "gsed"),
  ...same(AWK, "awk", "gawk", "mawk", "nawk"),
  find: FIND,
  ...same({ ...READER, letters: "xX", long: ["exec"] }, "fd", "fdfind"),
  rg: { ...READER, letters: "z", long: ["pre", "hostname-bin", "search-zip"] },
  ...same({ letters: "oT", long: ["output", "compress-program", "temporary-directory", "files0-from"] }, "sort"),
  ...same({ letters: "o", long: ["output"] }, "shuf", "iconv", "jq"),
  tree: { letters: "oR", long: ["output"] },
  yq: { letters: "ois", long: ["output", "inplace", "in-place", "split"] },
  ...same({ letters: "s", long: ["set"] }, "date"),
  ...same({ letters: "CmzZ", long: ["compile", "magic-file", "uncompress"] }, "file"),
  ...same({ words: /^[^-]/ }, "uniq", "xxd"),
  // `-i` is a file of addresses for the one, and prints headers for the other.
  curl: { letters: "oOKcDTdFEJjexXubCwqPn", long: FETCHING, words: HEADERS_OF_FILE },
  wget: { letters: "oOKcDTdFEJjexXubCwqPi", long: FETCHING },
  ...same(
    {
      letters: "oeSPFJEIDM",
      long: ["rsh", "rsync-path", "remote-option", "log-file", "daemon", "write-batch"].concat([
        ...["files-from", "exclude-from", "include-from"],
      ]),
      own: ["exclude", "include"],
    },
    ...["ssh", "scp", "sftp", "rsync"],
  ),
  // Of a variable's name in brackets, bash works out what stands in them.
  ...same({ onlyReads: true, words: /^-[vR]$|[[$`]/ }, "test", "["),
  split: more("", "filter"),
  // They write wherever the file with the patch or the archive says, .git/config among others.
  patch: { words: /^/, harmless: (_, _at, words) => isDryRun(words) },
  unzip: { words: /^/, harmless: (_, _at, words) => /^-[lvtZ]/.test(words[0] ?? "") },
  ...same(more("", "", /^[ex]$/i), "7z", "7za", "7zz"),
  zip: more("TmO", "test unzip-command"),
  ...same(more("zwWFZrX", "postrotate-command extcap"), "tcpdump", "tshark", "dumpcap"),
  ...same(more("", "photo-viewer agent-program dirmngr-program homedir options"), "gpg", "gpg2"),
  // Without its dash, `e` shows the variables of every process.
  ps: {
    ...more("", "", /^[A-Za-z]*[eE][A-Za-z]*$|environ/),
    // With it, `e` is every process.
    harmless: (word) => /^-(?:e|ef|eo|el|efl|eF|o)$/.test(word),
  },
  // It has no option that names a file.
  ping: { letters: "" },
  nmap: more("", "script datadir stylesheet"),
  ...same(more("L", "options"), "ctags", "etags"),
  ack: more("", "ackrc filter"),
  ...same({ isInterpreter: true, operands: 1, words: SQL }, "sqlite3", "sqlite", "duckdb"),
  ...same({ ...DATABASE, operands: 2 }, "psql"),
  ...same(DATABASE, "mysql", "mariadb", "mongosh", "mongo"),
  ...same(NONE, "rm", "mkdir", "touch"),
  ...same(READER, "ls", "cat", "head", "cut", "tr", "grep", "egrep", "fgrep", "echo", "pwd", "true", "false", "stat"),
  ...same({ ...READER, letters: "X", long: ["files0-from", "exclude-from"], own: ["exclude"] }, ...["wc", "du"]),
  ...same(READER, "df", "which", "basename", "dirname", "realpath", "readlink", "diff", "cmp", "comm", "tail"),
  ...same(READER, "whoami", "id", "uname", "tac", "nl", "sha256sum", "md5sum", "seq"),
};
