/** The screens to which the navigation and the keys lead. */
export const screens = [
  { name: 'queue', title: 'Work queue', key: 'q' },
  { name: 'workspaces', title: 'Workspaces', key: 'w' },
  { name: 'activity', title: 'Activity', key: 'a' },
  { name: 'migrations', title: 'Migrations', key: 'm' },
  { name: 'plans', title: 'Plans', key: 'l' },
  { name: 'deliveries', title: 'Deliveries', key: 'd' },
  { name: 'webhooks', title: 'Webhooks', key: 'h' },
  { name: 'provisioning', title: 'Provisioning', key: 'p' },
  { name: 'streams', title: 'Streams', key: 's' },
] as const;
