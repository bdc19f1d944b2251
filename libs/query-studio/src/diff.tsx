/**
 * Two texts side by side with their differences. The editor is inside a shadow root and its styles are adopted sheets,
 * because the page's policy allows no style elements. It is loaded when it is first shown.
 */
import { javascript } from '@codemirror/lang-javascript';
import { defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'preact/hooks';

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--card)', color: 'var(--text)', fontSize: '12px' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', border: '0' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft)' },
  '.cm-changedText, &.cm-merge-b .cm-changedText': {
    background: 'color-mix(in srgb, var(--accent) 10%, transparent)',
  },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-soft)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'color-mix(in srgb, var(--bad) 12%, transparent)' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--quiet)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
});

/** Too narrow for a line of code in each of two columns. */
const phone = matchMedia('(max-width: 720px)');

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(phone.matches);
  useEffect(() => {
    const changed = () => setNarrow(phone.matches);
    phone.addEventListener('change', changed);
    return () => phone.removeEventListener('change', changed);
  }, []);
  return narrow;
}

const words = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.string, tags.number, tags.bool], color: 'var(--good)' },
  { tag: [tags.comment], color: 'var(--quiet)' },
  { tag: [tags.meta, tags.typeName], color: 'var(--warn)' },
]);

export interface DiffFile {
  readonly path: string;
  readonly before: string;
  readonly text: string;
}

export function Diff({ file: { path, before, text } }: { file: DiffFile }) {
  const place = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  useEffect(() => {
    const host = place.current!;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const parent = document.createElement('div');
    root.replaceChildren(parent);
    const side = (label: string) => [
      lineNumbers(),
      javascript({ typescript: true }),
      syntaxHighlighting(words),
      syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ 'aria-label': `${path}, ${label}`, tabindex: '0' }),
      EditorView.lineWrapping,
      look,
    ];
    const collapseUnchanged = { margin: 3, minSize: 6 };
    // On a phone the old lines are above the new ones.
    const view = narrow
      ? new EditorView({
          doc: text,
          extensions: [
            side('now and as it will be'),
            unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged }),
          ],
          parent,
          root,
        })
      : new MergeView({
          a: { doc: before, extensions: side('now') },
          b: { doc: text, extensions: side('as it will be') },
          parent,
          root,
          collapseUnchanged,
        });
    return () => view.destroy();
  }, [before, text, narrow]);
  const hunks = before === text ? 'Nothing changes in this file.' : '';
  return (
    <section class="diff" aria-label={path}>
      <h3>{path}</h3>
      {hunks !== '' && <p class="quiet">{hunks}</p>}
      <div ref={place} class="diff-view" />
    </section>
  );
}
