/** The views of an answer: as a chart, a table, JSON, its pipeline, and the request for it. */
import { Copy, saveCsv } from '@platform/design-parts';
import { cutWords, formatNumber, leftOutWords } from '@platform/page-runtime/chart';
import { useMemo } from 'preact/hooks';
import type { Field, Form, Preview as Answer } from './form';
import { lazy } from './lazy';
import { axisOf, changeOf, csvOf, pointsOf, shownOf, tableOf, type Shown } from './points';
import { blockOf, curlOf } from './request';
import { Tabs } from './tabs';

const Chart = lazy(async () => (await import('./chart')).Chart);

interface AnsweredProps {
  readonly answer: Answer;
  readonly form: Form;
  /** True when a newer question was refused: this is the previous answer. */
  readonly stale: boolean;
  /** The address with the values; and the address as the page declares it. */
  readonly address: string;
  /** The values of the request, and the day of the request. */
  readonly args: Readonly<Record<string, string>>;
  readonly today: string;
  readonly route: string;
  readonly tenant: string;
  readonly fields: readonly Field[];
}

export function Answered({ answer, form, stale, address, args, today, route, tenant, fields }: AnsweredProps) {
  const axis = axisOf(form, args, today);
  const shown = useMemo(() => shownOf(answer.body, axis, answer.truncated), [answer, JSON.stringify(axis)]);
  const title = form.name === '' ? 'Preview' : form.name;
  const leftOut = leftOutWords(answer.body['leftOut']);
  return (
    <div class={stale ? 'answered stale' : 'answered'}>
      <Tabs
        label="Ways to see the answer"
        tabs={[
          { name: 'Chart', show: () => <AsChart shown={shown} title={title} /> },
          { name: 'Table', show: () => <AsTable shown={shown} title={title} /> },
          { name: 'JSON', show: () => <Code text={JSON.stringify(answer.body, null, 2)} label="Answer" /> },
          { name: 'Pipeline', show: () => <AsPipeline answer={answer} /> },
          { name: 'Request', show: () => <AsRequest address={address} tenant={tenant} /> },
          { name: 'On the page', show: () => <OnThePage form={form} route={route} shown={shown} fields={fields} /> },
        ]}
      />
      {answer.truncated && <p class="note">{cutWords(answer.body['truncated'], axis.keeps)} here.</p>}
      {leftOut !== undefined && <p class="note warning">{leftOut}.</p>}
    </div>
  );
}

function AsChart({ shown, title }: { shown: Shown; title: string }) {
  const { headline, delta, previous, points, before, timeline } = shown;
  return (
    <>
      {headline !== undefined && (
        <p class="headline">
          {headline === null ? 'No value' : formatNumber(headline)}
          {delta !== undefined && <span class="delta">{changeOf(delta)}</span>}
          {previous !== undefined && (
            <span class="delta">before: {previous === null ? 'no value' : formatNumber(previous)}</span>
          )}
        </p>
      )}
      {points && points.length === 0 && <p class="quiet placeholder">No rows match.</p>}
      {points && points.length > 0 && <Chart points={points} before={before} timeline={timeline} title={title} />}
      {points && points.length > 0 && before && (
        <p class="note before">
          <svg aria-hidden="true">
            <line x1="0" y1="50%" x2="100%" y2="50%" />
          </svg>{' '}
          The period before, of the same length
        </p>
      )}
    </>
  );
}

function AsTable({ shown, title }: { shown: Shown; title: string }) {
  const points = pointsOf(shown);
  return (
    <>
      <div class="scroll" role="region" aria-label="Points" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Group</th>
              <th scope="col" class="number">
                Value
              </th>
            </tr>
          </thead>
          <tbody>
            {tableOf(points).map(([group, figure], at) => (
              <tr key={at}>
                <td>{group}</td>
                <td class="number">{figure}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="buttons">
        <button type="button" class="small" onClick={() => saveCsv(`${title}.csv`, csvOf(points))}>
          Download CSV
        </button>
      </p>
    </>
  );
}

function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <Copy text={text} />
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  );
}

function AsPipeline({ answer: { pipeline, examined, index } }: { answer: Answer }) {
  return (
    <>
      <dl class="facts">
        <div>
          <dt>Index</dt>
          <dd>
            {!index && 'None can serve these filters: every row is read.'}
            {index &&
              `${index.fields.join(', ')}: ${index.exists ? 'exists' : 'missing; npm run builder -- indexes creates it'}`}
          </dd>
        </div>
        <div>
          <dt>Examined</dt>
          <dd>
            {examined === undefined
              ? 'More than the database counts in a second.'
              : `${formatNumber(examined)} documents`}
          </dd>
        </div>
      </dl>
      <Code text={JSON.stringify(pipeline, null, 2)} label="Aggregation pipeline" />
    </>
  );
}

/** The place of the query on its page is set by a line of the page's own TypeScript. */
function OnThePage({
  form,
  route,
  shown,
  fields,
}: {
  form: Form;
  route: string;
  shown: Shown;
  fields: readonly Field[];
}) {
  return (
    <>
      <p class="note">
        The page shows every query. Its place, its words, and what readers may see behind it are a line of{' '}
        <code>blocks</code> in <code>@Page</code>:
      </p>
      <Code text={blockOf(form, route, shown, fields)} label="Block" />
      <p class="note">
        <code>breakdown</code>: fields by which readers may break the figures down. <code>rows</code>: fields of the
        rows that they may see behind a point; without it, none.
      </p>
    </>
  );
}

function AsRequest({ address, tenant }: { address: string; tenant: string }) {
  return (
    <>
      <Code text={`${location.origin}${address}`} label="Address" />
      <Code text={curlOf(location.origin, address, tenant)} label="Command line" />
      <p class="note">A person who holds the permission of the page may ask; $TOKEN is their token.</p>
    </>
  );
}
