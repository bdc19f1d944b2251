/** The frame: login or screens, navigation, theme, keys. Screens know only each other's addresses. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { linkTo, readAddress, type Address } from './address';
import { Keys } from './keys';
import { screens } from './screen-names';
import { Search } from './search';
import { ActivityScreen } from './screens/activity';
import { CaseScreen } from './screens/case';
import { ConsumerScreen } from './screens/consumer';
import { CreateScreen } from './screens/create-workspace';
import { DeliveriesScreen } from './screens/deliveries';
import { DirectoryScreen } from './screens/directory';
import { IncidentScreen } from './screens/incident';
import { MigrationsScreen } from './screens/migrations';
import { NextLine } from './screens/next-line';
import { NoScreen } from './screens/no-screen';
import { PlansScreen } from './screens/plans';
import { ProvisioningScreen } from './screens/provisioning';
import { QueueScreen } from './screens/queue';
import { StreamsScreen } from './screens/streams';
import { WebhooksScreen } from './screens/webhooks';
import { WorkspaceScreen } from './screens/workspace';
import { place, SessionContext, useGateway, type Session } from './session';
import {
  Kept,
  LiveMark,
  Login,
  personOf,
  screenPlace,
  SignedInAs,
  SkipLink,
  Theme,
  useDocumentTitle,
  useFocusKept,
  useHeadingFocus,
  useLive,
  useSignIn,
  type SignOut,
} from '@platform/design-parts';
import { createGateway, type Gateway } from './gateway';
import { TeamPortal } from './portal';

const screen = screenPlace('operator-console.place');

function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  // With the page itself: a change in its first frame is not missed.
  useLayoutEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return useMemo(() => readAddress(hash), [hash]);
}

function Screen({ address }: { address: Address }) {
  const [name = 'queue', ...rest] = address.path;
  const nowhere = (
    <NoScreen path={address.path}>
      <a href={linkTo(['queue'])}>Work queue</a>
    </NoScreen>
  );
  switch (name) {
    case 'queue':
      return <QueueScreen filters={address.filters} />;
    case 'case':
      if (rest.length < 2) return nowhere;
      return <CaseScreen key={rest.join('/')} kind={rest[0]!} id={rest.slice(1).join('/')} />;
    case 'workspaces':
      return rest[0] === undefined ? (
        <DirectoryScreen filters={address.filters} />
      ) : (
        <WorkspaceScreen key={rest[0]} tenantId={rest[0]} />
      );
    case 'activity':
      return <ActivityScreen filters={address.filters} />;
    case 'plans':
      return <PlansScreen />;
    case 'create':
      return <CreateScreen />;
    case 'consumers':
      if (rest[0] === undefined) return nowhere;
      return <ConsumerScreen key={rest[0]} name={rest[0]} filters={address.filters} />;
    case 'migrations':
      return <MigrationsScreen key={rest[0]} migrationId={rest[0]} filters={address.filters} />;
    case 'deliveries':
      return <DeliveriesScreen filters={address.filters} />;
    case 'webhooks':
      return <WebhooksScreen filters={address.filters} />;
    case 'provisioning':
      return <ProvisioningScreen />;
    case 'incident':
      if (address.filters['cause'] === undefined) return nowhere;
      return <IncidentScreen key={address.filters['cause']} cause={address.filters['cause']} />;
    case 'streams':
      return <StreamsScreen />;
    default:
      return nowhere;
  }
}

function Frame({ session, address, afterLogin }: { session: Session; address: Address; afterLogin: boolean }) {
  const here = address.path[0] ?? 'queue';
  const main = useRef<HTMLElement>(null);
  const place = address.path.join('/');
  useFocusKept(main);
  useHeadingFocus(main, place, afterLogin);
  const nav = useCurrentInView(here);
  const title =
    screens.find(({ name }) => name === here)?.title ??
    { case: 'Case', incident: 'One cause', create: 'Create a workspace', consumers: 'Consumer' }[here] ??
    'Nothing here';
  useDocumentTitle(`${title} – Operator console`);
  return (
    <>
      <SkipLink to={main}>Skip to content</SkipLink>
      <header class="bar">
        <a class="brand" href={linkTo(['queue'])}>
          Operator console
        </a>
        <nav aria-label="Screens" ref={nav}>
          {screens.map(({ name, title }) => (
            <a key={name} href={linkTo([name])} aria-current={here === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="side">
          <Search />
          <LiveMark live={session.live} />
          <Theme />
          <Keys />
          <SignedInAs who={session.who} signOut={session.signOut} />
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <NextLine />
        <Screen address={address} />
      </main>
    </>
  );
}

/** Where the names of the screens have no room, the one that is open is scrolled to. */
function useCurrentInView(here: string): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [here],
  );
  return nav;
}

interface SignedInProps {
  /** Null: the browser has a session. */
  readonly token: string | null;
  /** Of the session: each reads the page again. */
  readonly renewals: number;
  readonly person: Pick<Session, 'who' | 'role' | 'consumers'>;
  /** Called when the gateway no longer accepts it. */
  readonly onRefused: () => void;
  readonly signOut: SignOut;
  /** The person has just shown a token here. */
  readonly afterLogin: boolean;
}

function SignedIn(props: SignedInProps) {
  const { role, consumers } = props.person;
  const gateway = useGateway(props.token, props.onRefused, props.renewals);
  const address = useAddress();
  const team = role === 'user' && consumers !== undefined;
  if (team) return <TeamPortal {...props} consumers={consumers} gateway={gateway} address={address} />;
  return <Console {...props} gateway={gateway} address={address} />;
}

function Console({
  person,
  signOut,
  afterLogin,
  gateway,
  address,
}: SignedInProps & { gateway: Gateway; address: Address }) {
  const live = useLive(gateway, gateway.listen);
  const { who, role } = person;
  const session = useMemo(() => ({ gateway, who, role, signOut, ...live }), [gateway, live.live]);
  return (
    <SessionContext.Provider value={session}>
      <Frame session={session} address={address} afterLogin={afterLogin} />
    </SessionContext.Provider>
  );
}

/** The smallest read that the holder of the token may do. */
function firstRead(token: string): [path: string, query: Record<string, number>] {
  const { role, consumers: [own] = [] } = personOf(token);
  return role === 'user' && own !== undefined
    ? [`/api/saas/lifecycle/consumers/${encodeURIComponent(own)}/deliveries`, { limit: 1 }]
    : ['/api/saas/work-queue', { limit: 1 }];
}

interface ConsoleLoginProps {
  readonly signInUrl: string | null;
  readonly askAgain: (() => void) | undefined;
  readonly ended: boolean;
  readonly onToken: (token: string) => void;
}

function ConsoleLogin({ onToken, ...how }: ConsoleLoginProps) {
  return (
    <Login
      {...how}
      onLeave={screen.keep}
      title="Operator console"
      purpose="Did money move, and may anything still run?"
      whose="one of the platform’s people, or of a consumer team"
      notTheirs="This token is valid, but its holder does not work for the platform and is of no consumer team."
      judge="gateway"
      command="npm run -s token -- --role platform_owner"
      tryToken={(token) =>
        createGateway(
          token,
          (url, init) => fetch(url, init),
          () => undefined,
        ).read(...firstRead(token))
      }
      onToken={onToken}
    />
  );
}

export function App() {
  const signIn = useSignIn({ sessionUrl: '/console/session', place, screen });
  const { token, browser, ended, renewals, afterLogin, keep, onRefused, askAgain, leave } = signIn;
  const person = token === null ? browser?.person : personOf(token);
  // Until it is known whether a session exists, a form would only flash.
  if (!person && browser === null) return null;
  return (
    <>
      {person && (
        <Kept hidden={ended} key={person.who}>
          <SignedIn
            {...{ token, person, afterLogin, renewals, onRefused }}
            signOut={() => (token === null ? leave('/console/sign-out') : keep(null))}
          />
        </Kept>
      )}
      {(!person || ended) && (
        <ConsoleLogin signInUrl={browser?.signInUrl ?? null} {...{ askAgain, ended }} onToken={keep} />
      )}
    </>
  );
}
