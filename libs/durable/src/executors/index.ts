/** The register of this process's work, the requests to other processes, and the alerts about silent executors. */
export { askBacklogs, backlogEndpoint, backlogsOf, type Outboxes } from './backlogs';
export {
  createAskExecutors,
  createIsUnderWay,
  workEndpoint,
  type AskExecutors,
  type IsUnderWay,
} from './ask-executors';
export { createInterruptedWatch, interruptionNoticesCollection, type RunningWork } from './announce-interrupted';
export { instanceGoneOf, recordInstanceGone, type InstanceGone } from './instance-command';
export { askOffLine, offLineRequests, openOffLineRequester, type OffLineRequester } from './off-line';
export {
  beyondPatienceMs,
  createWorkRegister,
  plainRegister,
  type WorkRegister,
  type WorkUnderWay,
} from './work-register';
