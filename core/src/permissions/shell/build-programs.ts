import { INTERPRETER, isShortened, more, type StarLimits, same } from "./star-limits.ts";

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
  ].concat([
    ...["browser", "git", "package", "dir", "cwd", "shell-emulator", "config", "eval", "preload"],
    // Of what a script runs.
    ...["require", "import", "loader", "format", "rulesdir", "parser", "resolver", "global-setup", "setup-files"],
  ]),
};

/** Commands with which a package manager of Node's runs or writes something else. */
const OF_PACKAGE_MANAGERS = /^(?:exec|x|dlx|node|explore|edit|config|set|c|init|create|innit|run-script|plugin|env)$/;

/** The same of npm, which takes the beginning of a command for it. `npm run env` runs what stands behind it. */
const NPM_COMMANDS = /^(?:exe|x$|explo|ed|con|set|c$|ini|inn|cr|run-)/;

/** Whether an option stands in front of one of these values. */
function isPair(options: RegExp, values: RegExp, word: string, at: number, words: readonly string[]): boolean {
  const [name = "", value = words[at + 1] ?? ""] = word.startsWith("--") ? word.split(/=(.*)/s) : [word];
  return options.test(name) && values.test(value);
}

/**
 * A runner looks among its own reporters first, and these only print. By any other name it loads a package or a file.
 */
const reporters = (names: RegExp) => (word: string, at: number, words: readonly string[]) =>
  isPair(/^--(?:test-)?reporter$/, names, word, at, words);
const REPORTERS_OF_VITEST = /^(?:default|verbose|dot|json|tap|tap-flat|junit)$/;
const REPORTERS_OF_MOCHA = /^(?:spec|dot|nyan|tap|list|min|progress|json|landing|doc|markdown)$/;

const SCRIPT: StarLimits = {
  ...INTERPRETER,
  letters: "epricCIdESnmMxlBRFazW",
  long: [
    ...["eval", "print", "require", "import", "loader", "experimental-loader", "inspect", "run", "env-file"],
    ...["openssl-config", "interactive", "prof", "cpu-prof", "heap-prof", "trace-event", "diagnostic-dir"],
    ...["redirect-warnings", "report", "build-snapshot", "test-reporter", "config"],
    ...["test-global-setup", "tls-keylog", "localstorage-file", "experimental-sea-config", "execute", "init-file"],
  ],
  commands: /^(?:inspect|debug)$/,
  harmless: reporters(/^(?:spec|tap|dot|junit|lcov)$/),
};

/** In place of a program's name: a script that nobody knows. */
export const ANY_SCRIPT = "the script";

const TAKES_CODE = ["eval", "require", "import", "loader", "experimental-loader", "command", "execute"];
/** What is no code behind such an option: nothing, another option, a number. */
const NO_CODE = /^(?:-{1,2}[a-z][\w-]*|\d+)?$/i;
const FILE_OF_DATA = /^[\w./-]+\.(?:json|ya?ml|toml|ini|conf)$/i;

/** Whether a word behind a script may have it run other code: `-c 'import os'`, `--require ./x`; not `-p 3000`. */
function mayTakeCode(word: string, at: number, words: readonly string[]): boolean {
  const [, own] = /=(.*)/s.exec(word) ?? [];
  const value = own ?? words[at + 1] ?? "";
  if (word.startsWith("--")) return isShortened(word, TAKES_CODE) && !NO_CODE.test(value);
  if (!/^-\w+=?$/.test(word)) return /^-\w*[cep]/.test(word) && !NO_CODE.test(own ?? word);
  return /[cep]$/.test(word) && !NO_CODE.test(value) && !FILE_OF_DATA.test(value);
}

/** What stands for containers and programs of other tools: each has a word with which it runs something. */
const RUNNING = /^(?:run|exec|shell|x|tool|run-script|develop|compose|create|cp|start|script|plugin|execute)$/;

/** `turbo run` begins scripts of package.json, as `npm run` does, and no other program. */
const TURBO: StarLimits = {
  ...more(
    "",
    "graph profile anon-profile trace heap cache-dir cwd root-turbo-json pkg-inference-root api token login",
    /^(?:gen|generate|prune|login|logout|link|unlink|daemon|x|exec)$/,
  ),
  own: ["outputlogs"],
};

/** Programs that build, test, check and run other programs. */
export const BUILD_PROGRAMS: Readonly<Record<string, StarLimits>> = {
  npm: { ...NPM, words: /^env$/, commands: NPM_COMMANDS },
  ...same({ ...NPM, words: OF_PACKAGE_MANAGERS }, "pnpm", "yarn", "bun", "pnpx"),
  // Behind the program, which the rule names, stand its options: `npx tsc -p .`
  ...same({ ...NPM, letters: "cCe", words: OF_PACKAGE_MANAGERS }, "npx", "bunx"),
  ...same(
    { letters: "fCEIoWe", long: ["file", "makefile", "directory", "eval", "include-dir"], words: /=/ },
    "make",
    "gmake",
  ),
  ...same(
    { ...SCRIPT, endsAtScript: true },
    ...["node", "nodejs", "python", "python2", "python3", "perl", "ruby", "php", "lua", "luajit"],
  ),
  [ANY_SCRIPT]: { words: /^-/, harmless: (...at) => !mayTakeCode(...at) },
  ...same(
    SCRIPT,
    ...["deno", "rscript"],
    ...["osascript", "tsx", "ts-node", "tclsh", "guile", "jshell", "ghci", "irb", "r"],
    ...[
      "ipython",
      "pypy",
      "raku",
      "julia",
      "elixir",
      "iex",
      "erl",
      "groovy",
      "scala",
      "swift",
      "ocaml",
      "racket",
      "sbcl",
    ],
    ...["wish", "crystal", "nim"],
  ),
  cargo: {
    letters: "ZC",
    long: ["config", "manifest-path", "target-dir", "fix", "out-dir", "artifact-dir"],
    words: /^(?:run|r|install|script)$|^\+/,
  },
  go: {
    words:
      /^-{1,2}(?:test\.)?(?:exec|toolexec|o|C|overlay|modfile|vettool|fuzz|\w*prof\w*|trace|\w*flags|compiler|pkgdir)|^(?:run|generate|tool|env|install)$/,
  },
  eslint: more("f", "format rulesdir parser resolve-plugins init"),
  mocha: {
    ...more("rRuOn", "require import loader reporter ui file opts package node-option experimental-loader"),
    harmless: reporters(REPORTERS_OF_MOCHA),
  },
  vitest: {
    harmless: reporters(REPORTERS_OF_VITEST),
    ...more("r", "reporter root global-setup environment pool runner setup-files dir browser inspect", /^--coverage\./),
    own: ["run"],
  },
  jest: {
    ...more(
      "",
      "setup-files global-setup global-teardown reporters runner test-runner transform resolver env test-environment root-dir"
        .concat(" projects preset filter watch-plugins test-sequencer dependency-extractor haste module-name-mapper")
        .concat(" prettier-path snapshot-resolver coverage-directory"),
    ),
    own: ["coverage", "run", "watch"],
    // The tests of what changed. It has no `--reporter`, and refuses it.
    harmless: (word) => word === "-o" || /^--reporter(?:=|$)/.test(word),
  },
  ...same(
    more("wdupf", "apply presets custom-formatter custom-syntax servedir"),
    "prettier",
    "biome",
    "babel",
    "stylelint",
  ),
  ...same(more("pw", "preset external"), "rollup", "webpack", "esbuild", "postcss", "vite"),
  ...same(
    {
      ...more("p", "rootdir import-mode confcutdir basetemp junit pdbcls override-ini pastebin"),
      // To stop at the first failure; and to leave a plugin out.
      letters: "cCeop",
      harmless: (...at) => /^-pno:\w+$/.test(at[0]) || isPair(/^-p$/, /^no:\w+$/, ...at),
    },
    ...["pytest", "py.test"],
  ),
  ...same(
    more("", "load-plugins init-hook rcfile python-executable install-types junit-xml cache-dir any-exprs-report"),
    ...["pylint", "mypy", "flake8", "ruff"],
  ),
  ...same(more("rIfaAREpPT", "require format auto rakefile load libdir trace"), "rspec", "rubocop", "rake"),
  phpunit: more("d", "bootstrap printer include-path log coverage extension"),
  ...same(more("", "init-script"), "ant"),
  ...same(
    {
      ...more("IbpDPg", "init-script build-file settings-file project-dir include-build gradle-user-home"),
      // It leaves a task out.
      harmless: (word) => word === "-x",
    },
    ...["gradle", "gradlew"],
  ),
  ...same(
    {
      ...more("fsDt", "file settings global-settings", /^exec:/),
      // They show errors, stay off the network, and choose tests.
      harmless: (word) => /^-(?:e|o|Dtest=[\w.#*+,-]+|DskipTests(?:=true)?)$/.test(word),
    },
    ...["mvn", "mvnw"],
  ),
  ...same(more("fdFC", "justfile working-directory shell command set taskfile dir entrypoint", /=/), "just", "task"),
  cmake: more("PEDSB", "toolchain install preset open"),
  ...same(more("ftC", "directory"), "ninja", "scons"),
  ...same(more("", "run-under bazelrc host-jvm script-path", /^run$/), "bazel", "bazelisk"),
  ...same(
    more("BX", "specs plugin wrapper", /^@|^-(?:fplugin|B|wrapper|specs|fuse-ld|load|Xclang)/),
    ...["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "javac"],
  ),
  ...same(
    more("", "shell-escape enable-write18 write18 ini fmt translate-file pdflatex latex lualatex xelatex"),
    ...["tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex", "latexmk", "context", "dvips"],
  ),
  ...same(
    more("", "", RUNNING),
    ...["uv", "poetry", "pdm", "pipenv", "hatch", "rye", "bundle", "bundler", "conda", "mamba", "mise", "asdf", "nix"],
    ...["flatpak", "composer", "rustup", "volta", "corepack"],
  ),
  ...same(
    // These of compose only tell of containers.
    {
      ...more("", "", RUNNING),
      harmless: (...at) => isPair(/^compose$/, /^(?:ps|logs|images|ls|top|version)$/, ...at),
    },
    ...["docker", "podman", "nerdctl"],
  ),
  // `-o` is how it prints: `yaml` and the like print secrets, too.
  kubectl: { ...more("", "", RUNNING), harmless: (...at) => isPair(/^(?:-o|--output)$/, /^(?:wide|name)$/, ...at) },
  dotnet: {
    ...more("", "", RUNNING),
    harmless: (...at) => isPair(/^(?:-c|--configuration)$/, /^(?:release|debug)$/i, ...at),
  },
  turbo: TURBO,
  nx: more("", "", /^(?:exec|run-commands)$/),
};
