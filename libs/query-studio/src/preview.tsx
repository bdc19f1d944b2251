/**
 * The right side: the current answer of the query, requested again after each pause in typing; only the newest answer
 * is shown.
 */
import type { BuilderError } from '@platform/builder';
import { Answered } from './answered';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  controlsOf,
  inputOf,
  issuesAt,
  type Form,
  type Issue,
  type Preview as Answer,
  type Resource,
  type Template,
} from './form';
import { createLatest, type Latest } from './latest';
import { dayOf } from './points';
import { addressOf, argsOf, boundOf, inWordsOfForm, previewRefusal, routeOf, type Bound } from './request';
import { useSession, wordsOf } from './session';

const waitMs = 300;
const workspaceKey = 'query-studio.workspace';

interface PreviewProps {
  readonly pageRef: string;
  readonly form: Form;
  readonly resource: Resource | undefined;
  readonly template: Template | undefined;
}

interface Result {
  readonly answer?: Answer;
  readonly error?: BuilderError;
  readonly milliseconds: number;
}

/** The answer for the entered values, and whether a newer one is being requested. */
function usePreview(form: Form, args: Record<string, string>, tenant: string, ready: boolean) {
  const { ask } = useSession();
  const [result, setResult] = useState<Result>();
  const [asking, setAsking] = useState(false);
  const latest = useRef<Latest<string>>(undefined);
  useEffect(() => {
    latest.current = createLatest<string, Result>({
      waitMs,
      work: async (body, signal) => {
        const began = performance.now();
        const answer = await ask('PreviewQuery', JSON.parse(body) as never, signal);
        const milliseconds = Math.round(performance.now() - began);
        return answer.ok ? { answer: answer.data, milliseconds } : { error: answer.error, milliseconds };
      },
      show: (next) => {
        setResult((before) => (next.error && before?.answer ? { ...next, answer: before.answer } : next));
        setAsking(false);
      },
    });
    return () => latest.current?.stop();
  }, [ask]);
  const { name: _name, endpoint: _endpoint, ...input } = inputOf(form);
  const body = JSON.stringify({ query: input, args, ...(tenant !== '' && { tenant }) });
  useEffect(() => {
    if (!ready) return;
    setAsking(true);
    latest.current?.run(body);
  }, [body, ready]);
  const stop = () => {
    latest.current?.stop();
    setAsking(false);
  };
  return { result, asking, stop, again: () => latest.current?.run(body) };
}

export function Preview({ pageRef, form, resource, template }: PreviewProps) {
  const { workspaces } = useSession();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [tenant, setTenant] = useState(localStorage.getItem(workspaceKey) ?? workspaces[0] ?? '');
  const today = useMemo(() => new Date(), []);
  const bound = boundOf(form, resource?.fields ?? [], today);
  const args = argsOf(bound, typed);
  const { result, asking, stop, again } = usePreview(
    form,
    args,
    tenant,
    resource !== undefined && form.template !== '',
  );
  useEffect(() => localStorage.setItem(workspaceKey, tenant), [tenant]);
  const issues = result?.error?.code === 'invalid_config' ? result.error.issues : [];
  const address = addressOf(pageRef, form, bound, args);
  return (
    <section class="preview-pane" aria-label="Preview">
      <header>
        <h2>Preview</h2>
        <span class="quiet" role="status">
          {asking ? 'Asking …' : result && !result.error ? `${result.milliseconds} ms` : ''}
        </span>
        {asking ? (
          <button type="button" class="small" onClick={stop}>
            Cancel
          </button>
        ) : (
          <button type="button" class="small" onClick={again} disabled={!resource}>
            Ask again
          </button>
        )}
      </header>
      <RequestValues
        bound={bound}
        args={args}
        issues={issues}
        tenant={resource?.tenantScoped ? tenant : undefined}
        onArg={(name, value) => setTyped({ ...typed, [name]: value })}
        onTenant={setTenant}
      />
      {!resource && <p class="quiet placeholder">Choose a resource, and its rows appear here.</p>}
      {result?.error && <Refusal error={result.error} answered={result.answer !== undefined} template={template} />}
      {result?.answer && resource && (
        <Answered
          answer={result.answer}
          form={form}
          stale={result.error !== undefined}
          address={address}
          args={args}
          today={dayOf(form, today)}
          route={routeOf(pageRef, form)}
          tenant={tenant}
          fields={resource.fields}
        />
      )}
    </section>
  );
}

interface RefusalProps extends Pick<PreviewProps, 'template'> {
  readonly error: BuilderError;
  readonly answered: boolean;
}

function Refusal({ error, answered, template }: RefusalProps) {
  return (
    <p class="notice" role="status">
      {previewRefusal(
        inWordsOfForm(wordsOf(error), controlsOf(template?.schema)),
        error.code === 'invalid_config',
        answered,
      )}
    </p>
  );
}

interface ValuesProps {
  readonly bound: readonly Bound[];
  readonly args: Readonly<Record<string, string>>;
  readonly issues: readonly Issue[];
  readonly tenant: string | undefined;
  readonly onArg: (name: string, value: string) => void;
  readonly onTenant: (tenant: string) => void;
}

function RequestValues({ bound, args, issues, tenant, onArg, onTenant }: ValuesProps) {
  if (bound.length === 0 && tenant === undefined) return null;
  return (
    <div class="request-values">
      {tenant !== undefined && (
        <label>
          Workspace
          <input value={tenant} spellcheck={false} onInput={(event) => onTenant(event.currentTarget.value)} />
          {issuesAt(issues, '/tenant').map(({ message }) => (
            <span key={message} class="issues">
              {message}
            </span>
          ))}
        </label>
      )}
      {bound.map(({ name, kind }) => (
        <label key={name}>
          {name}
          <ArgInput kind={kind} value={args[name] ?? ''} onValue={(value) => onArg(name, value)} />
          {issuesAt(issues, `/args/${name}`).map(({ message }) => (
            <span key={message} class="issues">
              {message}
            </span>
          ))}
        </label>
      ))}
    </div>
  );
}

/** A day uses the browser's own picker; an instant, or any other typed value, is text. */
function ArgInput({ kind, value, onValue }: { kind: string; value: string; onValue: (value: string) => void }) {
  const take = (event: { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value);
  return kind === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(value) ? (
    <input type="date" value={value} onInput={take} />
  ) : (
    <input value={value} onInput={take} />
  );
}
