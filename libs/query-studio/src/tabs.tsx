/** Tabs that follow the ARIA pattern: arrows move between them, and one is reachable by the Tab key. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface Tab {
  readonly name: string;
  readonly show: () => ComponentChildren;
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [chosen, setChosen] = useState(tabs[0]!.name);
  const at = Math.max(
    0,
    tabs.findIndex(({ name }) => name === chosen),
  );
  const id = (name: string) => `tab-${name.toLowerCase().replaceAll(' ', '-')}`;
  const step = (event: KeyboardEvent) => {
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const { name } = tabs[(next + tabs.length) % tabs.length]!;
    setChosen(name);
    document.getElementById(id(name))?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={id(name)}
            aria-selected={index === at}
            aria-controls="tab-panel"
            tabIndex={index === at ? 0 : -1}
            onClick={() => setChosen(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={id(tabs[at]!.name)} class="tab-panel">
        {tabs[at]!.show()}
      </div>
    </>
  );
}
