/** The history of one member of a class, from the page project's git repository if it has one. Git is only read. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const timeoutMs = 5_000;
const maxBytes = 4_000_000;
const maxCommits = 50;

export interface Commit {
  readonly commit: string;
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
  readonly subject: string;
  /** The change to the member, as a unified diff. */
  readonly diff: string;
}

export interface History {
  /** Newest first; undefined when the project is in no repository, or the member in no commit. */
  of(path: string, member: string): Promise<readonly Commit[] | undefined>;
}

/** `root`: the folder of the project, which may be a subfolder of a repository. */
export function gitHistory(root: string): History {
  return {
    async of(path, member) {
      // Both values have narrow grammars: a path that the project built, and an identifier.
      const range = `/\\b${member}(/,/^  \\}/:${path}`;
      const format = '--format=%x1e%H%x1f%an%x1f%aI%x1f%s%x1f';
      const args = ['-C', root, '--no-pager', 'log', `-n${maxCommits}`, '--no-color', '--no-ext-diff', format];
      try {
        const { stdout } = await run('git', [...args, `-L${range}`], {
          timeout: timeoutMs,
          maxBuffer: maxBytes,
          env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
        });
        return stdout.split('\x1e').slice(1).map(commitOf);
      } catch {
        return undefined;
      }
    },
  };
}

function commitOf(text: string): Commit {
  const [commit = '', author = '', at = '', subject = '', diff = ''] = text.split('\x1f');
  return { commit, author, at, subject, diff: diff.trim() };
}
