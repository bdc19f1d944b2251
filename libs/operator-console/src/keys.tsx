/**
 * Keyboard shortcuts: `g` and a letter opens a screen, `/` opens the search, `?` shows them all. None works while a
 * person types, or behind an open dialog.
 */
import { Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { linkTo } from './address';
import { screens } from './screen-names';

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  );
}

function Key({ keys, does }: { keys: readonly string[]; does: string }) {
  return (
    <div>
      <dt>
        {keys.map((key, at) => (
          <Fragment key={key}>
            {at > 0 && ' '}
            <kbd>{key}</kbd>
          </Fragment>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}

function AllKeys() {
  return (
    <dl class="keys">
      {screens.map(({ name, title, key }) => (
        <Key key={name} keys={['g', key]} does={title} />
      ))}
      <Key keys={['/']} does="Search by any id, name or e-mail address" />
      <Key keys={['j', 'k']} does="Next and previous row of the queue" />
      <Key keys={['Enter']} does="Open the row" />
      <Key keys={['Esc']} does="Close" />
    </dl>
  );
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    let afterG = 0;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || dialog.current?.open) return;
      const screen = screens.find(({ key }) => key === event.key);
      if (Date.now() - afterG < 1_500 && screen) location.hash = linkTo([screen.name]);
      else if (event.key === '/') document.getElementById('search')?.focus();
      else if (event.key === '?') dialog.current?.showModal();
      else if (event.key !== 'g') return;
      afterG = event.key === 'g' ? Date.now() : 0;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
  return (
    <>
      <button
        type="button"
        class="small"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        onClick={() => dialog.current?.showModal()}
      >
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <AllKeys />
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </>
  );
}
