import {
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb';
import { StoreUnavailableError } from '../port';
import { StoreRefusedError, doubtOf, duplicateKeyFields, portError } from './driver-errors';

const server = (code: number, more: object = {}): MongoServerError =>
  new MongoServerError({ message: 'm', code, ...more });
const writeConcern = new MongoWriteConcernError({
  ok: 1,
  writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
});

describe('an error of the driver says about a write that it', () => {
  it.each<[string, Error, ReturnType<typeof doubtOf>]>([
    [
      'was never sent: no server was chosen',
      new MongoServerSelectionError('none', { type: 'Unknown' } as never),
      'never_sent',
    ],
    ['may have happened: the connection broke', new MongoNetworkError('gone'), 'uncertain'],
    ['may have happened: no answer came in time', new MongoNetworkTimeoutError('slow'), 'uncertain'],
    ['may have happened: the majority was not collected', writeConcern, 'uncertain'],
    ['may have happened: the primary stepped down', server(189), 'uncertain'],
    ['may have happened: the server failed in a way we do not know', server(8_000), 'uncertain'],
    [
      'may have happened: the other end had closed the connection',
      Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' }),
      'uncertain',
    ],
    [
      'was refused: never left the process, with a code',
      Object.assign(new TypeError('m'), { code: 'ERR_INVALID_ARG_TYPE' }),
      'refused',
    ],
    ['was refused: no right', server(13), 'refused'],
    ['was refused: validation', server(121), 'refused'],
    ['was refused: never left the process', new TypeError('no BSON form'), 'refused'],
  ])('%s', (_case, error, doubt) => {
    expect(doubtOf(error)).toBe(doubt);
  });

  it('may have happened when a known refusal comes as a failed write concern', () => {
    expect(doubtOf(new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 13, errmsg: 'm' } }))).toBe(
      'uncertain',
    );
  });
});

describe('an error of the driver becomes for the caller', () => {
  it.each<[string, Error]>([
    ['a broken connection', new MongoNetworkError('gone')],
    ['a socket that the other end has closed', Object.assign(new Error('ended'), { code: 'EPIPE' })],
    ['an election', server(10_107)],
    ['a label of the driver', server(1, { errorLabels: ['RetryableWriteError'] })],
  ])('StoreUnavailableError for %s', (_case, error) => {
    expect(portError('jobs', error)).toBeInstanceOf(StoreUnavailableError);
  });

  it('StoreRefusedError for a statement that the server will never take', () => {
    const refused = portError('jobs', server(13));
    expect(refused).toBeInstanceOf(StoreRefusedError);
    expect(refused).toMatchObject({ message: 'jobs: the database refuses the statement (code 13)', code: 13 });
  });

  it('itself when it is not of the driver', () => {
    const error = new RangeError('m');
    expect(portError('jobs', error)).toBe(error);
  });
});

describe('a duplicate key', () => {
  it('names its fields, also for servers that only write them into the message', () => {
    expect(duplicateKeyFields(server(11_000, { keyPattern: { a: 1, b: 1 } }))).toEqual(['a', 'b']);
    expect(
      duplicateKeyFields(server(11_000, { message: 'E11000 duplicate key error collection: d.c index: _id_ dup key' })),
    ).toEqual(['_id']);
    expect(duplicateKeyFields(server(2))).toBeNull();
  });
});
