/**
 * The server's description of itself: a server of MongoDB 5.0's wire version, standalone unless it acts as the only
 * member of a replica set.
 */
import type { Doc } from '../bson/values';
import { BsonDate, docOf, int } from '../bson/values';
import type { Command, CommandContext } from './context';
import { checkArguments } from './fields';

/** Sizes in bytes and counts that drivers respect. */
export const storeLimits = { documentBytes: 16 * 1024 * 1024, messageBytes: 48_000_000, writeBatch: 100_000 } as const;

const serverVersion = '5.0.0';
const wireVersion = 13;

function describeServer(command: Doc, context: CommandContext): Doc {
  const legacy = [...command.keys()][0]?.toLowerCase() === 'ismaster';
  const mechanisms = context.session.mechanismsFor(command.get('saslSupportedMechs'));
  return docOf({
    helloOk: command.get('helloOk') === true ? true : undefined,
    [legacy ? 'ismaster' : 'isWritablePrimary']: true,
    maxBsonObjectSize: int(storeLimits.documentBytes),
    maxMessageSizeBytes: int(storeLimits.messageBytes),
    maxWriteBatchSize: int(storeLimits.writeBatch),
    localTime: new BsonDate(BigInt(Date.now())),
    logicalSessionTimeoutMinutes: int(30),
    connectionId: int(context.connectionId),
    minWireVersion: int(0),
    maxWireVersion: int(wireVersion),
    readOnly: false,
    saslSupportedMechs: mechanisms,
    ...(context.member && {
      setName: context.member.set,
      setVersion: int(1),
      secondary: false,
      hosts: [context.member.address],
      primary: context.member.address,
      me: context.member.address,
    }),
  });
}

const buildInfo: Command = () =>
  docOf({
    version: serverVersion,
    gitVersion: 'embedded',
    modules: ['embedded-mongo'],
    versionArray: [int(5), int(0), int(0), int(0)],
    bits: int(64),
    debug: false,
    maxBsonObjectSize: int(storeLimits.documentBytes),
    storageEngines: ['lmdb'],
  });

const ping: Command = (command) => {
  checkArguments(command, 'ping', []);
  return docOf({});
};

const accept: Command = () => docOf({});

export const handshakeCommands: Record<string, Command> = {
  hello: describeServer,
  isMaster: describeServer,
  ismaster: describeServer,
  ping,
  buildInfo,
  buildinfo: buildInfo,
  whatsmyuri: accept,
};
