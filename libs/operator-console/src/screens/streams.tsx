/**
 * Streams of the broker and the outbox: the throughput, what waits, and since when. Measured every few seconds while
 * the page is open.
 */
import type { Streams } from '@platform/contracts-operator';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Head, Instant, Shown, Table } from '@platform/design-parts';
import { Status } from '../parts';
import { useRead } from '../session';
import { measured, noOutboxWords, noTrend, type Trend } from '../stream-trend';
import { Line } from './charts';

const everyMs = 5_000;
const number = new Intl.NumberFormat('en');

function useTrend(data: Streams | null): Trend {
  const [trend, setTrend] = useState(noTrend);
  useEffect(() => {
    if (data) setTrend((before) => measured(before, data, Math.floor(Date.now() / 1_000)));
  }, [data]);
  return trend;
}

function Report({ report }: { report: Streams }) {
  return (
    <>
      <Table
        head={['Stream', 'Durable', 'State', '#Lag', '#Unacknowledged', '#Redelivered', '#Stored', 'Oldest stored']}
        caption="Streams and durables"
      >
        {report.streams.flatMap((stream) => {
          const rows = stream.durables.length > 0 ? stream.durables : [null];
          return rows.map((durable, at) => (
            <tr key={`${stream.stream}/${durable?.durable ?? ''}`}>
              <td>{at === 0 && <b title={stream.subjects.join(', ')}>{stream.stream}</b>}</td>
              <td>{durable?.durable ?? <span class="quiet">no reader</span>}</td>
              <td>
                {durable ? (
                  <Status
                    status={durable.waiting > 0 ? 'listening' : durable.ackPending > 0 ? 'working' : 'no reader now'}
                  />
                ) : (
                  <span class="quiet">stored</span>
                )}
              </td>
              <td class="number">{durable ? number.format(durable.pending) : '–'}</td>
              <td class="number">{durable ? number.format(durable.ackPending) : '–'}</td>
              <td class="number">{durable ? number.format(durable.redelivered) : '–'}</td>
              <td class="number">{at === 0 && number.format(stream.messages)}</td>
              <td>{at === 0 && (stream.oldestAt === undefined ? '–' : <Instant at={stream.oldestAt} />)}</td>
            </tr>
          ));
        })}
      </Table>
      <h2>Outboxes</h2>
      {report.unavailable.map(({ service, problem }) => (
        <p key={service} class="notice" role="status">
          {service}: {problem}. The state of its outboxes is unknown.
        </p>
      ))}
      {report.outbox.length === 0 ? (
        <Empty title={noOutboxWords(report)} />
      ) : (
        <Table
          head={['Service', 'Collection', '#Waiting', 'Oldest']}
          caption="Outbox rows whose receiver has not ended them"
        >
          {report.outbox.map((each) => (
            <tr key={`${each.service}/${each.collection}`}>
              <td>{each.service}</td>
              <td>{each.collection}</td>
              <td class="number">{number.format(each.waiting)}</td>
              <td>{each.oldestAt === undefined ? '–' : <Instant at={each.oldestAt} />}</td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

export function StreamsScreen() {
  const reading = useRead<Streams>('/api/saas/streams');
  const trend = useTrend(reading.data);
  const [measuring, setMeasuring] = useState(true);
  useEffect(() => {
    if (!measuring) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && reading.again(), everyMs);
    return () => clearInterval(timer);
  }, [measuring]);
  return (
    <section>
      <Head
        title="Streams"
        note="Lag counts messages that a durable has not received yet; unacknowledged counts those that it is working on."
      >
        <button type="button" aria-pressed={measuring} onClick={() => setMeasuring(!measuring)}>
          {measuring ? 'Measuring every 5 s' : 'Measure'}
        </button>
      </Head>
      <div class="charts">
        <Line title="Lag, all durables" samples={trend.lag} />
        <Line title="Unacknowledged" samples={trend.unacknowledged} />
        <Line title="Outbox rows waiting" samples={trend.outbox} />
      </div>
      <Shown reading={reading}>{(report) => <Report report={report} />}</Shown>
    </section>
  );
}
