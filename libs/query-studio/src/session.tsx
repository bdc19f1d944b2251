/**
 * Shared by all parts of the studio: requests to the builder, notices of changes, and the tenant whose rows previews
 * read.
 */
import type { BuilderError } from '@platform/builder';
import { createBuilderClient, type AskBuilder } from '@platform/builder/client';
import { createSession, type Live } from '@platform/design-parts';
import { createRequests, refusalText, type Answer } from '@platform/design-parts/requests';
import type { Issue } from './form';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Why a page does not load. */
export interface PageProblem {
  readonly pageRef: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Session extends Live {
  readonly ask: AskBuilder;
  /** The pages of the project that do not load; empty where that cannot be read. */
  readonly readProblems: () => Promise<readonly PageProblem[]>;
  readonly who: string;
  readonly workspaces: readonly string[];
  readonly signOut: () => void;
}

export const { SessionContext, useSession } = createSession<Session>();

export const requestsWith = (token: string | null, onUnauthenticated: () => void) =>
  createRequests(token, (url, init) => fetch(url, init), onUnauthenticated);

/** A refusal is an answer of the builder; any other problem becomes one, with the problem's text. */
export function askWith(requests: ReturnType<typeof requestsWith>): AskBuilder {
  return createBuilderClient(async (method, path, input, signal) => {
    const answer: Answer<unknown> =
      method === 'GET'
        ? await requests.read(path, input as Record<string, string>)
        : await requests.send(method, path, input, { ...(signal && { signal }) });
    if (answer.kind === 'answered') return answer.body;
    if (answer.kind === 'no_answer') return refused(`The builder did not answer (${answer.reason}).`);
    const { problem } = answer;
    return 'error' in problem ? { ok: false, error: problem.error } : refused(refusalText(problem));
  });
}

export async function readProblemsWith(requests: ReturnType<typeof requestsWith>): Promise<readonly PageProblem[]> {
  const answer = await requests.read<{ readonly problems: readonly PageProblem[] }>('/api/builder/problems');
  return answer.kind === 'answered' ? answer.body.problems : [];
}

const refused = (detail: string) => ({ ok: false, error: { code: 'unsupported', detail } });

/** An error for people, without the issues that are shown at their fields. */
export function wordsOf(error: BuilderError): string {
  switch (error.code) {
    case 'invalid_config':
      return error.issues
        .map(({ pointer, message }) => `${pointer === '' ? 'The query' : pointer} ${message}`)
        .join('; ');
    case 'source_error':
      return `${error.file}:${error.line}: ${error.message}`;
    case 'not_found':
      return `${error.ref} is not there`;
    default:
      return error.detail;
  }
}

/** The issues of a refusal, for the fields of a dialog. */
export const issuesIn = (error: BuilderError | undefined): readonly Issue[] =>
  error?.code === 'invalid_config'
    ? error.issues
    : error?.code === 'duplicate_name'
      ? [{ pointer: error.pointer === '' ? '/pageRef' : error.pointer, message: error.detail }]
      : [];

export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: BuilderError | undefined;
  readonly again: () => void;
}

/** Requests now and after every change of the project; the old data stays until the new data has arrived. */
export function useAsked<T>(
  key: string,
  work: () => Promise<{ ok: true; data: T } | { ok: false; error: BuilderError }>,
): Asked<T> {
  const { onLive } = useSession();
  const [state, setState] = useState<{ key: string; data?: T; error?: BuilderError }>({ key });
  const [turn, setTurn] = useState(0);
  const again = useRef(() => setTurn((before) => before + 1));
  useEffect(() => onLive(() => again.current()), [onLive]);
  useEffect(() => {
    let current = true;
    void work().then((answer) => {
      if (current) setState({ key, ...(answer.ok ? { data: answer.data } : { error: answer.error }) });
    });
    return () => {
      current = false;
    };
  }, [key, turn]);
  const fresh = state.key === key;
  return { data: fresh ? state.data : undefined, error: fresh ? state.error : undefined, again: again.current };
}
