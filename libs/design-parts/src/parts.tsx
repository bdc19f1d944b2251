/** Small parts that every page is made of: instants, problems, empty places, headings, tables, things to copy. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from './requests';
import type { Reading } from './session';
import { formatLocal, formatRelative, formatUtc } from './time';

/** One clock for all relative times, so that they change together. */
const ticking = new Set<(now: number) => void>();
setInterval(() => ticking.forEach((tick) => tick(Date.now())), 5_000);

/** Now, also between two ticks: an answer that was read since the last one is not of the future. */
function useNow(): number {
  const [, setNow] = useState(0);
  useEffect(() => {
    ticking.add(setNow);
    return () => void ticking.delete(setNow);
  }, []);
  return Date.now();
}

/** Relative by default; with `both`, also in the person's time zone; in UTC on hover. */
export function Instant({ at, both = false }: { at: string | undefined; both?: boolean }) {
  const now = useNow();
  if (at === undefined) return <span class="quiet">–</span>;
  const relative = formatRelative(at, now);
  return (
    <time dateTime={at} title={formatUtc(at)} class="instant">
      {relative}
      {both && <span class="utc">{formatLocal(at)}</span>}
    </time>
  );
}

const instantsIn = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z)/;

/** A sentence of a service, with its instants in the person's time zone and in UTC on hover. */
export function Sentence({ children }: { children: string }) {
  return (
    <>
      {children.split(instantsIn).map((piece, at) =>
        at % 2 === 0 ? (
          piece
        ) : (
          <time key={at} dateTime={piece} title={formatUtc(piece)}>
            {formatLocal(piece)}
          </time>
        ),
      )}
    </>
  );
}

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

/** With a capital letter for the beginning of a line; ids and event types stay unchanged. */
export function title(name: string): string {
  if (/^[a-z_ ]+$/.test(name)) return words(name).replace(/^./, (first) => first.toUpperCase());
  return /^[a-z]+ /.test(name) ? name.replace(/^./, (first) => first.toUpperCase()) : name;
}

export function Id({ children }: { children: string }) {
  return <code class="id">{children}</code>;
}

/** One line of a list of facts. */
export function Fact({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function ProblemBox({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="problem" role="alert">
      <strong>{problem.title}</strong>
      <p>{problem.detail ?? `Code ${problem.code}.`}</p>
      {problem.nextStep && !problem.errors?.length && <p>{problem.nextStep}</p>}
      {problem.errors?.map(({ pointer, message }) => (
        <p key={pointer}>
          <code>{pointer}</code> {message}
        </p>
      ))}
      {again && (
        <button type="button" onClick={again}>
          Read again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

/** What a screen shows during and after a read: the old data remains, and an error is shown above it. */
export function Shown<T>({ reading, children }: { reading: Reading<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {reading.problem && <ProblemBox problem={reading.problem} again={reading.again} />}
      {reading.data === null && reading.reading && (
        <p class="quiet reading" role="status">
          Reading …
        </p>
      )}
      {reading.data !== null && children(reading.data)}
    </>
  );
}

/** `small`: for use next to the copied text; otherwise it has the size of other buttons. */
export function Copy({ text, label = 'Copy', small = true }: { text: string; label?: string; small?: boolean }) {
  const [said, setSaid] = useState('');
  const copy = async () => {
    // Without an encrypted connection there is no clipboard.
    const copied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(copied ? 'Copied' : 'Not copied: select the text');
    setTimeout(() => setSaid(''), copied ? 1_500 : 6_000);
  };
  return (
    <button type="button" class={small ? 'small' : ''} onClick={() => void copy()}>
      {said || label}
    </button>
  );
}

export function CommandLine({ purpose, line }: { purpose: string; line: string }) {
  return (
    <div class="command">
      <span class="purpose">{purpose}</span>
      <div class="line">
        <code tabIndex={0}>{line}</code>
        <Copy text={line} />
      </div>
    </div>
  );
}

export function Head({
  title,
  children,
  note,
}: {
  title: string;
  children?: ComponentChildren;
  note?: ComponentChildren;
}) {
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {note && <p class="note">{note}</p>}
      </div>
      {children && <div class="tools">{children}</div>}
    </header>
  );
}

/** A table that may be wider than the page: it scrolls separately, also by keyboard. */
export function Table({
  head,
  caption,
  children,
}: {
  head: readonly string[];
  caption: string;
  children: ComponentChildren;
}) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col" class={/^#/.test(title) ? 'number' : undefined}>
                {title.replace(/^#/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
