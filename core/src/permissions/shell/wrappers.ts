/** Those that come as packages of Node's. */
const PACKAGED = "concurrently nodemon cross-env env-cmd dotenv dotenvx c8 nyc onchange npm-run-all run-s run-p";

/** What begins another program, or changes what the rest of the line means: nobody looks through it. */
const WRAPPERS = new Set(
  [
    "env xargs timeout nice ionice nohup setsid stdbuf time sudo doas su runuser pkexec chroot unshare nsenter flock script",
    "watch parallel strace ltrace gdb lldb valgrind perf entr busybox toybox sh bash dash zsh ksh ash fish csh tcsh pwsh",
    "rbash chpst start-stop-daemon systemd-run at batch crontab screen tmux expect vi vim nvim view ex ed emacs nano",
    "less more man info ssh-agent dbus-run-session xvfb-run faketime proot fakeroot firejail bwrap taskset chrt cpulimit",
    "prlimit numactl setarch linux32 linux64 i386 x86_64 catchsegv torsocks proxychains socat nc ncat rlwrap unbuffer dtach",
    "gcore bpftrace rr uftrace systemd-nspawn machinectl hyperfine ccache distcc ifne pee caffeinate arch open xdg-open",
    "mksh oksh nu elvish xonsh yash powershell cmd nvi gvim rvim vimdiff micro hx joe most tig fzf ranger mc",
    PACKAGED,
    "rename prename file-rename m4 dc gnuplot octave direnv",
  ].flatMap((names) => names.split(" ")),
);

/** Builtins that change what the commands behind them do, and words of bash that are no commands. */
const SHELL_WORDS = new Set(
  [
    "eval exec source . command builtin trap alias unalias export declare typeset local readonly set shopt enable hash unset",
    "read mapfile readarray let bind complete compgen compopt cd pushd popd dirs fg bg disown suspend umask ulimit getopts",
    "coproc wait history fc times caller shift return exit break continue logout kill jobs printf if then else elif fi do done",
    "case esac while until for select function in ! [[ ]] { }",
  ].flatMap((names) => names.split(" ")),
);

/** Whether a program runs what its words name. */
export function isWrapper(program: string): boolean {
  return WRAPPERS.has(program);
}

export function isShellWord(program: string): boolean {
  return SHELL_WORDS.has(program);
}

export function isPackagedWrapper(program: string): boolean {
  return PACKAGED.split(" ").includes(program);
}
