/**
 * The portal of a consumer team: its own consumers, and no other screen. The team has no stream of changes, which would
 * name operations of every workspace, so what is shown is read again every few seconds while the tab is visible.
 */
import {
  SignedInAs,
  SkipLink,
  Theme,
  useDocumentTitle,
  useFocusKept,
  useHeadingFocus,
  type Live,
  type SignOut,
} from '@platform/design-parts';
import { Fragment } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import { linkTo, type Address } from './address';
import type { Gateway } from './gateway';
import { ConsumerScreen } from './screens/consumer';
import { NoScreen } from './screens/no-screen';
import { SessionContext, type Session } from './session';

const readEveryMs = 10_000;

/** Tells listeners to read again, at a steady pace. */
function useBeat(): Live {
  return useMemo(
    () => ({
      live: 'live',
      onLive: (heard) => {
        const beat = setInterval(() => {
          if (!document.hidden) heard({ event: 'reset', data: {} });
        }, readEveryMs);
        return () => clearInterval(beat);
      },
    }),
    [],
  );
}

interface PortalProps {
  readonly person: Pick<Session, 'who' | 'role'>;
  readonly consumers: readonly string[];
  readonly gateway: Gateway;
  readonly address: Address;
  readonly signOut: SignOut;
  readonly afterLogin: boolean;
}

export function TeamPortal({ person: { who, role }, consumers, gateway, address, signOut, afterLogin }: PortalProps) {
  const beat = useBeat();
  const session = useMemo(() => ({ gateway, who, role, consumers, signOut, ...beat }), [gateway, beat]);
  const main = useRef<HTMLElement>(null);
  const { path, filters } = address;
  const here = path.length === 0 ? consumers[0] : path[0] === 'consumers' ? path[1] : undefined;
  useFocusKept(main);
  useHeadingFocus(main, here ?? path.join('/'), afterLogin);
  useDocumentTitle(`${here ?? 'Nothing here'} – Consumer portal`);
  return (
    <SessionContext.Provider value={session}>
      <SkipLink to={main}>Skip to content</SkipLink>
      <header class="bar">
        <a class="brand" href={linkTo(['consumers', consumers[0]!])}>
          Consumer portal
        </a>
        <nav aria-label="Your consumers">
          <Links consumers={consumers} here={here} />
        </nav>
        <div class="side">
          <Theme />
          <SignedInAs who={who} signOut={signOut} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {here === undefined ? (
          <NoScreen path={path}>
            <Links consumers={consumers} />
          </NoScreen>
        ) : (
          <ConsumerScreen key={here} name={here} filters={filters} />
        )}
      </main>
    </SessionContext.Provider>
  );
}

function Links({ consumers, here }: Pick<PortalProps, 'consumers'> & { readonly here?: string | undefined }) {
  return consumers.map((name) => (
    <Fragment key={name}>
      <a href={linkTo(['consumers', name])} aria-current={name === here ? 'page' : undefined}>
        {name}
      </a>{' '}
    </Fragment>
  ));
}
