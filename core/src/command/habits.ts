const AGENTS_MD =
  "Write what the agent should know into the folder's AGENTS.md, then run `hermes trust` there so that it is read.";
const EDITOR = "Ctrl-X Ctrl-E opens the line in your own editor (VISUAL or EDITOR).";
const KEYS = "The keys of models are in the environment or in the config: `hermes init` asks for them.";
const COLOURS = "The colours are those of your terminal; NO_COLOR takes them away.";
const CONFIG = "`hermes config show` says what is set and in which file; edit that file.";
const ONE_AGENT = "A session is one agent. /fork goes on in a copy beside it.";
const KEPT = "Each session is kept by itself: /title names this one, /sessions lists them, /resume goes on with one.";
const FOLDER = "A session works in the folder where it began: start `hermes` in the other folder.";
const PUBLIC = "Nothing goes to a public page: /export makes a file, and /pass lets one person in.";
const ELSEWHERE = "That is /handoff: the session moves to a platform, and you go on there.";
const REPORT = "`hermes doctor` and `hermes logs` show what happened, for a report where you got Hermes from.";
const WINDOW = "The row below the prompt says how full the model's window is, and /usage what was used.";
const ASK = 'Ask for it in your own words; `git diff | hermes chat -q "Review this"` works too.';
const NO_MCP =
  "Hermes connects to no MCP servers: its tools are its own, those of plugins, and those of a program that embeds it.";
const NOT_TIED =
  "Hermes is tied to no editor and no code host; the agent can run `git` and others, where you allow it.";

const OWN_WORDS = "No prompts are built in: ask for it in your own words.";
const BY_ITSELF =
  "Nothing begins by itself here: `hermes chat -q` from cron does, and /away sends a session after you.";
const TODO = "Say what is to be reached: the agent keeps a to-do list, which /status shows.";
const NOTHING_SENT = "Hermes sends nothing about you to anybody; what goes to a model's provider is the session.";
const COSTS =
  "What a model costs is between you and its provider; /usage says what was used, `limits` of the config stops it.";
const LISTED = "/help lists the commands, and so does Tab behind a slash.";
const SERVERS = "`providers` of the config names any server that speaks a known protocol; `hermes init` asks for one.";
const NEWER = "`hermes update` says whether there is a newer Hermes.";
const SHOWN = "How it looks is not set: colours, mouse and scrolling are those of your terminal.";
const NOT_HERE = "There is nothing of that kind here; /help lists what there is.";
const CONNECTS = "`hermes plugins` lists, adds and removes platforms, and more tools for the agent.";

/** Commands that people type by habit from other agents' terminals, and what takes their place here. */
export const HABITS: Readonly<Record<string, string>> = {
  ...{ init: AGENTS_MD, memory: AGENTS_MD, skills: AGENTS_MD, "output-style": AGENTS_MD },
  ...{ vim: `There is no vim mode. ${EDITOR}`, editor: EDITOR },
  ...{ login: KEYS, logout: KEYS, auth: KEYS, connect: KEYS },
  ...{ theme: COLOURS, themes: COLOURS, color: COLOURS },
  ...{
    config: CONFIG,
    settings: CONFIG,
    statusline: "The row below the prompt says what there is to say; it is not set.",
  },
  ...{
    agents: ONE_AGENT,
    agent: ONE_AGENT,
    btw: `Write it: it waits for the turn, and /now says it at once. ${ONE_AGENT}`,
  },
  ...{ chat: KEPT, save: KEPT, "add-dir": FOLDER, directory: FOLDER, cd: FOLDER },
  ...{ share: PUBLIC, unshare: PUBLIC },
  ...{ teleport: ELSEWHERE, "remote-control": ELSEWHERE, mobile: ELSEWHERE, remote: ELSEWHERE },
  ...{ bug: REPORT, feedback: REPORT, doctor: "`hermes doctor` checks everything by real calls, and says what to do." },
  ...{ context: WINDOW },
  ...{ review: ASK, "security-review": ASK, "pr-comments": ASK },
  ...{ mcp: NO_MCP, ide: NOT_TIED, "install-github-app": NOT_TIED },
  hooks: "There are no hooks. /permissions says what may run without a question.",
  sandbox: "There is no sandbox. /mode and /permissions say what may run without a question.",
  plan: "/mode plan has the agent only read; Shift-Tab changes the mode, too.",
  todos: "/status shows the agent's to-do list, and how far it is.",
  tools: "/permissions says what the agent's tools may do; /mode how much it asks.",
  redo: "What was taken back stays so; arrow up brings your message. /fork before /undo keeps both ways.",
  ...{ details: "Ctrl-O shows the whole of the last result of a tool.", thinking: "What a model thinks is not shown." },
  ...{
    effort: "To have it think more or less, choose another /model.",
    fast: "Another /model is the way to a faster answer.",
  },
  ...{ plugin: CONNECTS, plugins: CONNECTS, extensions: CONNECTS, "reload-plugins": CONNECTS },
  "terminal-setup": "Nothing is set up: Alt-Enter and Ctrl-J begin a new line in any terminal.",
  ...{ upgrade: NEWER, "release-notes": NEWER, highlights: NEWER },
  ...{ background: ELSEWHERE, desktop: ELSEWHERE, web: ELSEWHERE, move: ELSEWHERE, warp: ELSEWHERE },
  ...{ loop: BY_ITSELF, schedule: BY_ITSELF, routines: BY_ITSELF },
  ...{ goal: TODO, batch: TODO, workflows: TODO, ultraplan: TODO, recap: TODO, insights: TODO },
  ...{ simplify: OWN_WORDS, debug: OWN_WORDS, "autofix-pr": OWN_WORDS, introspect: OWN_WORDS },
  ...{ privacy: NOTHING_SENT, "privacy-settings": NOTHING_SENT, telemetry: NOTHING_SENT },
  ...{ "extra-usage": COSTS, "usage-credits": COSTS, passes: COSTS },
  ...{ commands: LISTED, shortcuts: LISTED, keybinds: LISTED, docs: LISTED },
  ...{ "setup-bedrock": SERVERS, "setup-vertex": SERVERS, "setup-token": KEYS },
  ...{ "update-config": CONFIG, keybindings: CONFIG, footer: COLOURS, tui: COLOURS, focus: COLOURS },
  ...{ mcps: NO_MCP, "setup-github": NOT_TIED, dir: FOLDER, workspaces: FOLDER },
  ...{
    about: "`hermes --version` shows the version of Hermes; /status shows the session and the platforms.",
    version: NEWER,
  },
  variants: "To have it think more or less, choose another /model.",
  policies: "/permissions says what may run without a question.",
  shells: "/jobs lists what runs in the background, and stops it.",
  timeline: "/rewind lists your messages; /history the last ones of the session.",
  import: "`hermes restore` brings the sessions of a `hermes backup`.",
  ...{
    voice: "There is no voice here; messengers send what their keyboard hears.",
    chrome: "Hermes drives no browser.",
  },
  autocompact:
    "A session that fills the model's window is compacted by itself; /compact does it now, with what matters.",
  advisor: "One model answers in a session; choose a stronger one with /model.",
  "auto-mode-setup": "/mode says how much it asks; /permissions what may run without a question.",
  ...{ artifacts: PUBLIC, design: NOT_HERE, radio: NOT_HERE, stickers: NOT_HERE, powerup: LISTED },
  ...{ bg: ELSEWHERE, app: ELSEWHERE, ios: ELSEWHERE, android: ELSEWHERE, rc: ELSEWHERE, tp: ELSEWHERE },
  ...{ session: ELSEWHERE, "remote-env": ELSEWHERE, "web-setup": ELSEWHERE, "cloud-plugins": ELSEWHERE },
  ...{ brief: SHOWN, "scroll-speed": SHOWN, timestamps: SHOWN },
  ...{ "list-agents": ONE_AGENT, peers: ONE_AGENT, subtask: ONE_AGENT },
  ...{ "reload-skills": AGENTS_MD, "skill-doctor": AGENTS_MD, "team-onboarding": OWN_WORDS },
  ...{ ultrareview: ASK, "code-review": ASK, run: OWN_WORDS, verify: OWN_WORDS, "claude-api": OWN_WORDS },
  ...{ name: KEPT, org: KEYS, heapdump: REPORT, marketplace: CONNECTS },
};
