/** What the server says about itself: a standalone server of MongoDB 5.0's wire version. */
import type { Doc } from '../bson/values';
import { BsonDate, docOf, int } from '../bson/values';
import type { Command, CommandContext } from './context';
import { checkArguments } from './fields';

/** Sizes in bytes and counts that drivers respect. */
export const LIMITS = { documentBytes: 16 * 1024 * 1024, messageBytes: 48_000_000, writeBatch: 100_000 } as const;

const VERSION = '5.0.0';
const WIRE_VERSION = 13;

function describeServer(command: Doc, context: CommandContext): Doc {
  const legacy = [...command.keys()][0]?.toLowerCase() === 'ismaster';
  const mechanisms = context.session.mechanismsFor(command.get('saslSupportedMechs'));
  return docOf({
    helloOk: command.get('helloOk') === true ? true : undefined,
    [legacy ? 'ismaster' : 'isWritablePrimary']: true,
    maxBsonObjectSize: int(LIMITS.documentBytes),
    maxMessageSizeBytes: int(LIMITS.messageBytes),
    maxWriteBatchSize: int(LIMITS.writeBatch),
    localTime: new BsonDate(BigInt(Date.now())),
    logicalSessionTimeoutMinutes: int(30),
    connectionId: int(context.connectionId),
    minWireVersion: int(0),
    maxWireVersion: int(WIRE_VERSION),
    readOnly: false,
    saslSupportedMechs: mechanisms,
  });
}

const buildInfo: Command = () =>
  docOf({
    version: VERSION,
    gitVersion: 'embedded',
    modules: ['embedded-mongo'],
    versionArray: [int(5), int(0), int(0), int(0)],
    bits: int(64),
    debug: false,
    maxBsonObjectSize: int(LIMITS.documentBytes),
    storageEngines: ['lmdb'],
  });

const ping: Command = (command) => {
  checkArguments(command, 'ping', []);
  return docOf({});
};

const accept: Command = () => docOf({});

export const HANDSHAKE_COMMANDS: Record<string, Command> = {
  hello: describeServer,
  isMaster: describeServer,
  ismaster: describeServer,
  ping,
  buildInfo,
  buildinfo: buildInfo,
  whatsmyuri: accept,
};
