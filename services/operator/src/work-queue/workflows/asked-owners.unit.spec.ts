/** What cannot be an id at its owner names no record: the owner would refuse the question, and is not called silent. */
import { attemptRequestSchema, deletionRequestSchema } from '@platform/contracts-provisioning';
import { refused } from '@platform/kernel';
import { readCase, type CasePorts } from '../../cases/workflows/read-case';
import { attemptOwner, deletionOwner } from './asked-owners';
import type { OwnerPorts } from './ports';

/** Provisioning that refuses questions outside its contract and answers no other. */
const messaging: OwnerPorts['messaging'] = {
  request: async (subject, body) => {
    const schema = subject.includes('attempts') ? attemptRequestSchema : deletionRequestSchema;
    return schema.safeParse(body).success
      ? refused({ code: 'no_responders', message: 'no service answers' })
      : refused({ code: 'refused', serverCode: 'invalid_request', message: 'the id is too long' });
  },
};
const ports = { messaging } as OwnerPorts & CasePorts;
const longest = 't'.repeat(64);

describe.each([
  ['provisioning_attempt', attemptOwner(ports, {} as never), 'provisioning.attempts.read'],
  ['deletion', deletionOwner(ports), 'provisioning.deletions.read'],
] as const)('a record of the kind %s', (kind, owner, subject) => {
  it.each([
    ['that no workspace can have is not there', `${longest}t`, null],
    ['of the greatest length is asked for', longest, { unavailable: `no answer to ${subject} (no_responders)` }],
  ])('with an id %s', async (_which, id, expected) => {
    expect(await owner.read(id)).toEqual(expected);
    expect(await readCase(ports, kind, id)).toEqual(expected);
  });
});
