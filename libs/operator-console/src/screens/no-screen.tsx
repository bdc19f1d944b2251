/** For an address that leads to no screen: another screen in its place would pass for what was asked for. */
import { Empty, Head } from '@platform/design-parts';
import type { ComponentChildren } from 'preact';
import { linkTo } from '../address';

interface NoScreenProps {
  readonly path: readonly string[];
  /** Links that lead on from here. */
  readonly children: ComponentChildren;
}

export function NoScreen({ path, children }: NoScreenProps) {
  return (
    <section>
      <Head title={`There is no screen at ${linkTo(path)}`} />
      <Empty title="The address is mistyped or incomplete, or belongs to another release.">{children}</Empty>
    </section>
  );
}
