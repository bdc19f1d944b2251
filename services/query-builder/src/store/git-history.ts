/** The history of one member of a class, from the page project's git repository if it has one. Git is only read. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { memberName, parseSource, SourceError, ts } from '../domain/source/parse';
import { UnsupportedError } from './refusals';

const run = promisify(execFile);
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
  /** Newest first; undefined when the project is in no repository. Throws UnsupportedError when git fails. */
  of(path: string, member: string): Promise<readonly Commit[] | undefined>;
}

/** `root`: the folder of the project, which may be a subfolder of a repository. */
export function gitHistory(root: string, timeoutMs = 5_000): History {
  const git = async (...args: readonly string[]): Promise<string> => {
    const running = run('git', ['-C', root, '--no-pager', ...args], {
      timeout: timeoutMs,
      maxBuffer: maxBytes,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    });
    const { stdout } = await running.catch((error: { readonly killed?: boolean }) => {
      throw error.killed ? new UnsupportedError(`git does not answer within ${timeoutMs / 1_000} s`) : error;
    });
    return stdout;
  };
  /** Undefined where git answers with an error; what git does not say is no answer. */
  const answerOf = (...args: readonly string[]): Promise<string | undefined> =>
    git(...args).catch((error: unknown) => {
      if (error instanceof UnsupportedError) throw error;
      return undefined;
    });
  return {
    async of(path, member) {
      const inside = await answerOf('rev-parse', '--is-inside-work-tree');
      if (inside?.trim() !== 'true') return undefined;
      const committed = await answerOf('show', `HEAD:./${path}`);
      const lines = committed === undefined ? undefined : linesOf(path, committed, member);
      if (!lines) return [];
      const format = '--format=%x1e%H%x1f%an%x1f%aI%x1f%s%x1f';
      const options = [`-n${maxCommits}`, '--no-color', '--no-ext-diff', format, `-L${lines}:${path}`];
      const log = await git('log', ...options).catch(() => {
        throw new UnsupportedError(`git does not say within ${timeoutMs / 1_000} s which commits changed ${path}`);
      });
      return log.split('\x1e').slice(1).map(commitOf);
    },
  };
}

/** The lines of a member as `first,last`, from 1; undefined where no class of the text has it. */
function linesOf(path: string, text: string, member: string): string | undefined {
  try {
    const file = parseSource(path, text);
    const members = file.statements.filter(ts.isClassDeclaration).flatMap((owner) => [...owner.members]);
    const found = members.find((each) => memberName(each) === member);
    const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
    return found && `${lineOf(found.getStart(file))},${lineOf(found.end)}`;
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

function commitOf(text: string): Commit {
  const [commit = '', author = '', at = '', subject = '', diff = ''] = text.split('\x1f');
  return { commit, author, at, subject, diff: diff.trim() };
}
