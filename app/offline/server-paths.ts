/** Where the paths of calls begin: the service worker leaves them to the network. */
export const callPaths = ['api', 'sync', 'poll']

/** Where the paths begin that the server answers, and not the app. */
export const serverPaths = [...callPaths, 'healthz', 'readyz', 'metrics']
