/** Parts that are loaded on first use, so that the first view stays small. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Part, setPart] = useState<{ readonly it: ComponentType<Props> } | undefined>(loaded && { it: loaded });
    useEffect(() => {
      if (loaded) return;
      void load().then((it) => {
        loaded = it;
        setPart({ it });
      });
    }, []);
    return Part ? <Part.it {...props} /> : <p class="quiet">Loading …</p>;
  };
}
