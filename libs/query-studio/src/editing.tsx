/** The state of a query that is being edited: the form, its issues, what it would write, and changes by others. */
import type { BuilderError } from '@platform/builder';
import type { AskBuilder, WrittenQuery } from '@platform/builder/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { linkToDraft, linkToQuery } from './address';
import type { DiffFile } from './diff';
import { emptyForm, formOf, inputOf, patchOf, sameForm, type Draft, type Form, type Issue } from './form';
import { createLatest, type Latest } from './latest';
import { leaveNotice, takeNotice, type Notice } from './notice';
import type { Project } from './project';
import { useSession, wordsOf } from './session';
import { letGo, useUnsaved } from './unsaved';

/** The start of an edit. */
export type Origin =
  | { readonly kind: 'query'; readonly pageRef: string; readonly version: string; readonly form: Form }
  | { readonly kind: 'new'; readonly pageRef: string; readonly version: string }
  | { readonly kind: 'draft'; readonly pageRef: string; readonly form: Form; readonly draft: Draft };

export interface Review {
  readonly files: readonly DiffFile[];
  readonly error?: BuilderError;
}

export interface Editing {
  readonly form: Form;
  /** The version on which the form is based. */
  readonly version: string;
  readonly dirty: boolean;
  readonly issues: readonly Issue[];
  readonly review: Review | undefined;
  readonly notice: Notice | undefined;
  readonly conflict: { readonly before: Form; readonly theirs: Form | undefined } | undefined;
  readonly busy: boolean;
  /** How many actions have succeeded here: what was read before the last one may be out of date. */
  readonly done: number;
  readonly setForm: (form: Form) => void;
  readonly save: () => Promise<void>;
  readonly saveDraft: () => Promise<void>;
  readonly run: (work: () => Promise<Outcome>) => Promise<void>;
  readonly startAgain: (from: Form | undefined) => void;
  readonly rebase: (form: Form) => void;
  /** Shows what the source says now, unless something is typed. */
  readonly follow: () => Promise<void>;
}

/** The message of an action, and the address to which it leads; an error's message is shown unchanged. */
type Outcome = { readonly say: string; readonly go?: string } | { readonly error: BuilderError };

const formIn = (origin: Origin): Form => (origin.kind === 'new' ? emptyForm : origin.form);
const versionIn = (origin: Origin | undefined): string =>
  origin === undefined ? '' : origin.kind === 'draft' ? String(origin.draft.revision) : origin.version;

interface Acting {
  readonly ask: AskBuilder;
  readonly first: Origin;
  readonly form: Form;
  readonly dirty: boolean;
  /** The version on which the form is based. */
  readonly version: string;
  readonly setBase: (next: Base | ((before: Base) => Base)) => void;
  readonly run: Editing['run'];
}

interface Base {
  readonly form: Form;
  readonly version: string;
}

/** Saving, and storing as a draft; `expected` is the version of the page to which a new query is added. */
function actionsOf({ ask, first, form, dirty, version, setBase, run }: Acting, expected: string) {
  const { pageRef } = first;
  const input = inputOf(form);
  const change = async (): Promise<Outcome> => {
    const query = `${pageRef}@${form.name}`;
    const answer = await ask('ConfigureQuery', { query, patch: patchOf(form), expectedVersion: version });
    if (!answer.ok) return answer;
    setBase((before) => ({ ...before, form }));
    return { say: saidOf(answer.data) };
  };
  const add = async (): Promise<Outcome> => {
    const answer = await ask('AddQuery', { pageRef, input, expectedVersion: expected });
    return answer.ok
      ? { say: `Added: it answers at ${answer.data.route}.`, go: linkToQuery(pageRef, form.name) }
      : answer;
  };
  const publish = async ({ id }: Draft): Promise<Outcome> => {
    const kept = dirty ? await ask('SaveDraft', { id, revision: Number(version), pageRef, input }) : undefined;
    if (kept && !kept.ok) return kept;
    const answer = await ask('PublishDraft', { id, revision: kept?.data.revision ?? Number(version) });
    return answer.ok ? { say: 'Published.', go: linkToQuery(pageRef, form.name) } : answer;
  };
  const keep = async (): Promise<Outcome> => {
    const standing = first.kind === 'draft' ? { id: first.draft.id, revision: Number(version) } : {};
    const answer = await ask('SaveDraft', { ...standing, pageRef, input });
    if (!answer.ok) return answer;
    setBase({ form, version: String(answer.data.revision) });
    const go = first.kind === 'new' && { go: linkToDraft(answer.data.id) };
    return { say: 'Kept as a draft; no reader sees it.', ...go };
  };
  return {
    save: () => run(first.kind === 'query' ? change : first.kind === 'draft' ? () => publish(first.draft) : add),
    saveDraft: () => run(keep),
  };
}

/** A query as its source says it now; undefined when it is gone, or cannot be read back. */
async function sourceOf(ask: AskBuilder, pageRef: string, name: string): Promise<Base | undefined> {
  const read = await ask('GetPageStructure', { pageRef });
  const query = read.ok ? read.data.queries.find((each) => each.name === name) : undefined;
  return read.ok && query && !query.opaque ? { form: formOf(query), version: read.data.version } : undefined;
}

export function useEditing(first: Origin, now: Origin | undefined, project: Project): Editing {
  const { ask } = useSession();
  const [base, setBase] = useState<Base>({ form: formIn(first), version: versionIn(first) });
  const [form, setForm] = useState(base.form);
  const [conflict, setConflict] = useState<Editing['conflict']>();
  const { notice, setNotice, busy, done, tried, run } = useRun(project);
  const dirty = !sameForm(form, base.form);
  useUnsaved(dirty);
  const review = useReview(first, form, dirty || first.kind !== 'query');
  const theirs = now && formIn(now);
  const version = versionIn(now);

  // After an edit by another person: an unchanged form follows it, and a changed form is shown beside it.
  useEffect(() => {
    if (first.kind === 'new' || version === base.version) return;
    const same = theirs !== undefined && sameForm(theirs, base.form);
    // What is written is what is shown here: it was saved, though the answer may have been lost.
    if (theirs && sameForm(theirs, form)) {
      setBase({ form, version });
      setConflict(undefined);
    } else if (same) setBase({ form: base.form, version });
    else if (!dirty && theirs) {
      setBase({ form: theirs, version });
      setForm(theirs);
      setConflict(undefined);
    } else if (!busy) setConflict({ before: base.form, theirs });
  }, [version, theirs === undefined, busy]);

  const expected = (now && now.kind !== 'draft' ? now.version : undefined) ?? base.version;
  const { save, saveDraft } = actionsOf({ ask, first, form, dirty, version: base.version, setBase, run }, expected);
  const settle = (next: Form, over: Form) => {
    setBase({ form: over, version });
    setForm(next);
    setConflict(undefined);
    setNotice(undefined);
  };
  return {
    form,
    version: base.version,
    dirty,
    issues: dirty || tried || first.kind === 'query' ? issuesOf(review?.error) : [],
    review,
    notice,
    conflict,
    busy,
    done,
    setForm,
    save,
    saveDraft,
    run,
    startAgain: (from) => (from ? settle(from, from) : goTo('#/')),
    rebase: (next) => settle(next, theirs ?? next),
    follow: async () => {
      const source = dirty ? undefined : await sourceOf(ask, first.pageRef, form.name);
      if (!source) return;
      setBase(source);
      setForm(source.form);
    },
  };
}

function goTo(hash: string): void {
  letGo();
  location.hash = hash;
}

/** Runs one action at a time and shows its result, here or on the page to which it leads. */
function useRun(project: Project) {
  const [notice, setNotice] = useState<Notice | undefined>(takeNotice);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const running = useRef(false);
  const run = async (work: () => Promise<Outcome>) => {
    // A key that is held down repeats before the button is disabled.
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setTried(true);
    setNotice(undefined);
    const outcome = await work();
    running.current = false;
    setBusy(false);
    if ('error' in outcome) {
      if (outcome.error.code === 'conflict') project.again();
      // Messages already shown at the fields are not repeated.
      const atFields = outcome.error.code === 'invalid_config';
      setNotice({ tone: 'bad', text: atFields ? 'Not written: see what is missing below.' : wordsOf(outcome.error) });
      return;
    }
    setDone((before) => before + 1);
    const said = { tone: 'good', text: outcome.say } as const;
    if (outcome.go === undefined) setNotice(said);
    else leaveNotice(said);
    project.again();
    if (outcome.go !== undefined) goTo(outcome.go);
  };
  return { notice, setNotice, tried, busy, done, run };
}

/** What was written, and which parts of the form have no effect. */
const saidOf = ({ changes: { length: files }, notices = [] }: WrittenQuery): string =>
  [writtenIn(files), ...notices.map(({ pointer, message }) => `${pointer.slice(1)} ${message}.`)].join(' ');

const writtenIn = (files: number): string =>
  files === 0
    ? 'Nothing changed: the source says this already.'
    : `Saved: ${files} ${files === 1 ? 'file' : 'files'} written.`;

function issuesOf(error: BuilderError | undefined): readonly Issue[] {
  if (error?.code === 'invalid_config') return error.issues;
  return error?.code === 'duplicate_name' ? [{ pointer: error.pointer, message: error.detail }] : [];
}

/** What saving would write, and every refusal, requested after each pause in typing. */
function useReview(origin: Origin, form: Form, wanted: boolean): Review | undefined {
  const { ask, onLive } = useSession();
  const [review, setReview] = useState<Review>();
  const [turn, setTurn] = useState(0);
  const latest = useRef<Latest<string>>(undefined);
  useEffect(() => onLive(() => setTurn((before) => before + 1)), [onLive]);
  useEffect(() => {
    latest.current = createLatest<string, Review>({
      waitMs: 250,
      work: async (edit, signal) => {
        const answer = await ask('ReviewEdit', { edit: JSON.parse(edit) as never }, signal);
        return answer.ok ? { files: answer.data.files } : { files: [], error: answer.error };
      },
      show: setReview,
    });
    return () => latest.current?.stop();
  }, [ask]);
  const { pageRef } = origin;
  const edit = JSON.stringify(
    origin.kind === 'query'
      ? { kind: 'configure', query: `${pageRef}@${form.name}`, patch: patchOf(form) }
      : { kind: 'add', pageRef, input: inputOf(form) },
  );
  useEffect(() => {
    if (wanted) latest.current?.run(edit);
    else {
      latest.current?.stop();
      setReview(undefined);
    }
  }, [edit, wanted, turn]);
  return review;
}
