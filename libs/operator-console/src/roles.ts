/** What a role may do besides the actions on a workspace, as the gateway decides it. */

/** Whether the role prepares the end of an investigation. */
export const mayPropose = (role: string): boolean => role === 'support' || role === 'platform_owner';

/** Whether the role is the second person of a proposal. */
export const mayApprove = (role: string): boolean => role === 'approver' || role === 'platform_owner';

/** Instead of the approval, for the other roles. */
export const whoApproves = 'An approver or a platform owner approves it here.';
