/** Ways to see an answer: as a chart, a table, JSON, the pipeline behind it, and the request that gets it. */
import { Copy } from '@platform/design-parts';
import { useMemo } from 'preact/hooks';
import type { Form, Preview as Answer } from './form';
import { lazy } from './lazy';
import { csvOf, shownOf, type Shown } from './points';
import { curlOf } from './request';
import { Tabs } from './tabs';

const Chart = lazy(async () => (await import('./chart')).Chart);

interface AnsweredProps {
  readonly answer: Answer;
  readonly form: Form;
  /** A newer question was refused: this is the answer before it. */
  readonly stale: boolean;
  readonly address: string;
  readonly tenant: string;
}

export function Answered({ answer, form, stale, address, tenant }: AnsweredProps) {
  const shown = useMemo(() => shownOf(answer.body, form.params['bucket']), [answer, form.params['bucket']]);
  const title = form.name === '' ? 'Preview' : form.name;
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
        ]}
      />
      {answer.truncated && <p class="note">Only the first 500 points are shown here.</p>}
    </div>
  );
}

const figure = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

function AsChart({ shown, title }: { shown: Shown; title: string }) {
  const { headline, delta, points, timeline } = shown;
  return (
    <>
      {headline !== undefined && (
        <p class="headline">
          {headline === null ? 'No value' : figure.format(headline)}
          {delta !== undefined && (
            <span class="delta">
              {delta >= 0 ? '▲' : '▼'} {figure.format(Math.abs(delta) * 100)} %
            </span>
          )}
        </p>
      )}
      {points && points.length === 0 && <p class="quiet placeholder">No rows match.</p>}
      {points && points.length > 0 && <Chart points={points} timeline={timeline} title={title} />}
    </>
  );
}

function AsTable({ shown: { points, headline }, title }: { shown: Shown; title: string }) {
  const rows = points ?? (headline === undefined ? [] : [{ label: 'Value', value: headline }]);
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csvOf(rows)], { type: 'text/csv' }));
    link.download = `${title}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
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
            {rows.map(({ label, value }, at) => (
              <tr key={at}>
                <td>{label}</td>
                <td class="number">{value === null ? '–' : figure.format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="buttons">
        <button type="button" class="small" onClick={download}>
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

/** How many documents the database looked at, from whatever form its plan has. */
function examinedIn(explain: unknown): number | undefined {
  const text = JSON.stringify(explain) ?? '';
  const found = /"totalDocsExamined":(?:\{"\$numberLong":")?(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function AsPipeline({ answer: { pipeline, explain, index } }: { answer: Answer }) {
  const examined = examinedIn(explain);
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
          <dd>{examined === undefined ? 'The database does not say.' : `${figure.format(examined)} documents`}</dd>
        </div>
      </dl>
      <Code text={JSON.stringify(pipeline, null, 2)} label="Aggregation pipeline" />
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
