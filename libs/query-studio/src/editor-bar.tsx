/** The actions on the open query. */
import { Copy } from '@platform/design-parts';
import { useState } from 'preact/hooks';
import { linkToDraft } from './address';
import type { Editing, Origin } from './editing';
import { History } from './history';
import { useAsked, useSession } from './session';

interface EditorBarProps {
  readonly editing: Editing;
  readonly origin: Origin;
  readonly shown: 'form' | 'changes';
  readonly onShow: (shown: 'form' | 'changes') => void;
}

export function EditorBar({ editing, origin, shown, onShow }: EditorBarProps) {
  const { dirty, busy, issues, conflict } = editing;
  const blocked = busy || conflict !== undefined || (origin.kind === 'query' && !dirty);
  const save = { query: 'Save', new: 'Add to the page', draft: 'Publish' }[origin.kind];
  return (
    <>
      <button
        type="button"
        aria-pressed={shown === 'changes'}
        onClick={() => onShow(shown === 'form' ? 'changes' : 'form')}
      >
        {shown === 'form' ? 'What saving writes' : 'Back to the form'}
      </button>
      {origin.kind !== 'query' && (
        <button
          type="button"
          disabled={busy || (origin.kind === 'draft' && !dirty)}
          onClick={() => void editing.saveDraft()}
        >
          Keep as draft
        </button>
      )}
      {origin.kind === 'draft' && <Copy text={location.href} label="Copy the link" small={false} />}
      <More editing={editing} origin={origin} />
      <button
        type="button"
        class="primary"
        disabled={blocked || (dirty && issues.length > 0)}
        title="Ctrl+S"
        onClick={() => void editing.save()}
      >
        {busy ? 'Working …' : save}
      </button>
    </>
  );
}

/** Less frequent actions. A removal must be confirmed. */
function More({ editing, origin }: { editing: Editing; origin: Origin }) {
  const { ask } = useSession();
  const [sure, setSure] = useState(false);
  const { form, version, busy, done, run } = editing;
  const last = useAsked(`last save ${done}`, () => ask('LastSave', {}));
  const query = `${origin.pageRef}@${form.name}`;
  const undoable = last.data?.save?.query === query ? last.data.save : undefined;
  const undo = () =>
    run(async () => {
      const answer = await ask('UndoSave', undoable ? { savedAt: undoable.savedAt } : {});
      if (!answer.ok) return answer;
      // The version is that of before the save, which the form may not have left yet: no reading would change it.
      await editing.follow();
      const { length: files } = answer.data.changes;
      return { say: `Taken back: ${files} ${files === 1 ? 'file has its' : 'files have their'} text before.` };
    });
  const unpublish = () =>
    run(async () => {
      const answer = await ask('UnpublishQuery', { query, expectedVersion: version });
      return answer.ok ? { say: 'Unpublished; it is a draft now.', go: linkToDraft(answer.data.id) } : answer;
    });
  const remove = () =>
    run(async () => {
      const answer =
        origin.kind === 'draft'
          ? await ask('DiscardDraft', { id: origin.draft.id, revision: Number(version) })
          : await ask('RemoveQuery', { query, expectedVersion: version });
      return answer.ok ? { say: 'Removed.', go: '#/' } : answer;
    });
  return (
    <>
      {undoable && (
        <button type="button" disabled={busy} onClick={() => void undo()}>
          Undo last save
        </button>
      )}
      {origin.kind === 'query' && (
        <>
          <History query={query} />
          <button type="button" disabled={busy || editing.dirty} onClick={() => void unpublish()}>
            Unpublish
          </button>
        </>
      )}
      {origin.kind !== 'new' && (
        <button
          type="button"
          class={sure ? 'danger' : ''}
          disabled={busy}
          onBlur={() => setSure(false)}
          onClick={() => (sure ? void remove() : setSure(true))}
        >
          {sure ? 'Really remove?' : origin.kind === 'draft' ? 'Discard' : 'Remove'}
        </button>
      )}
    </>
  );
}
