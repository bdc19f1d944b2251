/** The broker's file of users and accounts, generated from the table of `permissions.ts`. */
import type { Topology } from '@platform/messaging';
import { passwordVariable, type Party } from './permissions';
import { keysVariable } from '@platform/messaging/nkey';

interface Permissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer the requester on the subject that the request names. */
  readonly responds: boolean;
}

/** The subjects on the wire that the party's row implies. */
export function permissionsOf(party: Party, topology: Topology): Permissions {
  const { user, consumes, serves, declaresDurablesOf, looksInto } = party;
  const consuming = consumes.flatMap(({ stream, durable }) => [
    `$JS.API.CONSUMER.INFO.${stream}.${durable}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`,
    `$JS.ACK.${stream}.${durable}.>`,
    `dead_letter.${stream}.${durable}`,
  ]);
  const asserting = [
    ...topology.streams.flatMap(({ name, durables }) => [
      `$JS.API.STREAM.INFO.${name}`,
      ...durables.map(({ durable }) => `$JS.API.CONSUMER.INFO.${name}.${durable}`),
    ]),
    ...topology.buckets.map(({ name }) => `$JS.API.STREAM.INFO.KV_${name}`),
  ];
  const keyed = [
    ...party.readsBuckets.flatMap((bucket) => [
      `$JS.API.STREAM.INFO.KV_${bucket}`,
      `$JS.API.DIRECT.GET.KV_${bucket}.$KV.${bucket}.*`,
    ]),
    ...party.writesBuckets.map((bucket) => `$KV.${bucket}.*`),
  ];
  const declaring = declaresDurablesOf.flatMap((stream) => [
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
  ]);
  const looking = looksInto.flatMap((stream) => [
    `$JS.API.CONSUMER.LIST.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
  ]);
  const publish = [
    ...party.publishes,
    ...party.requests,
    ...consuming,
    ...(party.assertsTopology ? asserting : []),
    ...declaring,
    ...looking,
    ...keyed,
  ];
  return {
    publish: [...new Set(publish)],
    subscribe: [`_INBOX_${user}.>`, ...serves, ...(serves.length > 0 ? serviceDiscovery(user) : [])],
    responds: serves.length > 0,
  };
}

/** The requests of `nats micro ls|info|stats`; the service has its user's name. */
function serviceDiscovery(name: string): string[] {
  return ['PING', 'STATS', 'INFO'].flatMap((verb) => [
    `$SRV.${verb}`,
    `$SRV.${verb}.${name}`,
    `$SRV.${verb}.${name}.*`,
  ]);
}

/** The account of the services. */
const platformAccount = 'PLATFORM';
/** `TEAM_search-index` for the consumer `search-index`. */
export function accountOf({ team, user }: Pick<Party, 'team' | 'user'>): string {
  return team ? `TEAM_${user}` : platformAccount;
}

interface Crossing {
  readonly subject: string;
  readonly from: string;
  readonly to: readonly string[];
}

/**
 * Imported by every team and allowed to none of its users. An account without JetStream answers `$JS.API.>` itself,
 * with "not enabled", in addition to what it imports from another account, and either answer may come first. It leaves
 * the answer to the import when this subject is among the imported ones.
 */
const accountInfo = '$JS.API.INFO';

/** The platform's services for teams, each subject once with the accounts that may use it. */
function exportsToTeams(teams: readonly Party[], topology: Topology): Crossing[] {
  const accounts = new Map<string, string[]>(teams.length > 0 ? [[accountInfo, teams.map(accountOf)]] : []);
  for (const team of teams)
    for (const subject of permissionsOf(team, topology).publish)
      accounts.set(subject, [...(accounts.get(subject) ?? []), accountOf(team)]);
  return [...accounts].map(([subject, to]) => ({ subject, from: platformAccount, to }));
}

/** A team's services for the platform: its listeners. */
function exportsOfTeam(team: Party): Crossing[] {
  return team.serves.map((subject) => ({ subject, from: accountOf(team), to: [platformAccount] }));
}

const quoted = (texts: readonly string[]): string => `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;

/** A pull is answered by many messages; a listener, and callers that wait for one, may take as long as a creation. */
function exportLine({ subject, to }: Crossing): string {
  const answers = subject.startsWith('$JS.API.CONSUMER.MSG.NEXT.') ? ', response: stream' : '';
  return `      { service: ${JSON.stringify(subject)}, accounts: ${quoted(to)}${answers}, response_threshold: "5m" }`;
}

function importLine({ subject, from }: Crossing): string {
  return `      { service: { account: ${JSON.stringify(from)}, subject: ${JSON.stringify(subject)} } }`;
}

function permissionLines(party: Party, topology: Topology): string[] {
  const { publish, subscribe, responds } = permissionsOf(party, topology);
  return [
    `  publish: { allow: ${quoted(publish)} }`,
    `  subscribe: { allow: ${quoted(subscribe)} }`,
    // One answer per request; five minutes, because a creation waits for the payment provider.
    ...(responds ? ['  allow_responses: { max: 1, expires: "5m" }'] : []),
  ];
}

const indented = (by: number, lines: readonly string[]): string[] => lines.map((line) => ' '.repeat(by) + line);

/** A service of the platform, with its password. */
function serviceUser(party: Party, topology: Topology, password: string): string[] {
  return indented(6, [
    '{',
    `  user: ${JSON.stringify(party.user)}, password: ${password}`,
    '  permissions: {',
    ...indented(2, permissionLines(party, topology)),
    '  }',
    '}',
  ]);
}

/** A team's users are its keys, two during a rotation: the account defines the same permissions for each. */
function teamUsers(party: Party, topology: Topology, keys: string): string[] {
  return indented(4, ['default_permissions: {', ...permissionLines(party, topology), '}', `users: ${keys}`]);
}

interface Account {
  readonly name: string;
  readonly storesStreams: boolean;
  /** The lines that name its users. */
  readonly users: readonly string[];
  readonly exported: readonly Crossing[];
  readonly imported: readonly Crossing[];
}

/** Limits over all processes of a team; the largest message is a dead letter. */
const teamLimits = 'limits: { max_connections: 64, max_subscriptions: 1000, max_payload: 73728 }';

function accountLines({ name, storesStreams, users, exported, imported }: Account): string[] {
  return [
    `  ${JSON.stringify(name)} {`,
    storesStreams ? '    jetstream: enabled' : `    ${teamLimits}`,
    ...users,
    '    exports: [',
    ...exported.map(exportLine),
    '    ]',
    '    imports: [',
    ...imported.map(importLine),
    '    ]',
    '  }',
  ];
}

/** The secrets in the file: a text of the configuration, or `$NAME` for a variable that another file defines. */
export interface SignOn {
  /** The text after `password:`. */
  readonly passwordOf: (user: string) => string;
  /** The text after `users:` of a team: a list of `{ nkey: "U…" }`. */
  readonly keysOf: (team: string) => string;
}

/** As in the delivered files: the file itself contains no secret. */
export const asVariables: SignOn = {
  passwordOf: (user) => `$${passwordVariable(user)}`,
  keysOf: (team) => `$${keysVariable(team)}`,
};

/**
 * The server's `accounts` block. `topology` is a user of the platform's account without restrictions: for `apply` and
 * for people.
 */
export function permissionsFile(parties: readonly Party[], topology: Topology, { passwordOf, keysOf }: SignOn): string {
  const teams = parties.filter(({ team }) => team);
  const toTeams = exportsToTeams(teams, topology);
  const platform: Account = {
    name: platformAccount,
    storesStreams: true,
    users: [
      '    users: [',
      `      { user: "topology", password: ${passwordOf('topology')} }`,
      ...parties.filter(({ team }) => !team).flatMap((party) => serviceUser(party, topology, passwordOf(party.user))),
      '    ]',
    ],
    exported: toTeams,
    imported: teams.flatMap(exportsOfTeam),
  };
  const accounts = [
    platform,
    ...teams.map((team): Account => ({
      name: accountOf(team),
      storesStreams: false,
      users: teamUsers(team, topology, keysOf(team.user)),
      exported: exportsOfTeam(team),
      imported: toTeams.filter(({ to }) => to.includes(accountOf(team))),
    })),
  ];
  return ['accounts {', ...accounts.flatMap(accountLines), '}', ''].join('\n');
}

/** Every subject that a party may publish to. */
export function publishesOf(party: Party, topology: Topology): readonly string[] {
  return permissionsOf(party, topology).publish;
}
